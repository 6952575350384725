import { ApiError } from '@fairlead/errors/api-error';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { systemTimers } from '@fairlead/service-kit/timers';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { OfferingUpstream } from '../domain/merged-lists.ts';
import type { UpstreamAnswer, UpstreamRequests, Wish } from '../ports/upstreams.ts';
import { unaryChannel } from './clients.ts';
import { servedServer } from './served.ts';
import { offering } from './upstreams.ts';
import { findOffering } from '../use-cases/endpoint/find-offering.ts';
import { findUpstreamCapabilities } from '../use-cases/endpoint/find-upstream-capabilities.ts';
import type { ListenToChangesDeps } from '../use-cases/endpoint/listen-to-changes.ts';
import { passRequest } from '../use-cases/endpoint/pass-request.ts';
import type { PassRequestDeps } from '../use-cases/endpoint/pass-request.ts';

const ctx = testContext();
export const resultAnswer = (json: object): UpstreamAnswer => ({
  kind: 'result',
  result: Buffer.from(JSON.stringify(json)),
});
/** A JSON-RPC error. */
export const errorAnswer = (code: number, message = 'No.'): UpstreamAnswer => ({
  kind: 'error',
  code,
  message,
  data: undefined,
});

/** Prompts, resources and a template behind connection 7. */
export const DOCS = offering(7, {
  prompts: [{ name: 'ask' }],
  resources: [{ uri: 'doc://1', name: 'One' }],
  templates: [{ uriTemplate: 'doc://{id}' }],
});
/** A prompt with the same name, and resources, behind connection 8, which does not support completion. */
export const MAIL = offering(8, {
  prompts: [{ name: 'ask' }],
  resources: [{ uri: 'mail://1' }],
  hasCompletions: false,
});

/** A server with these upstreams and their answers, by connection. `unknown`: the lists are not known. */
export function passing(
  upstreams: readonly OfferingUpstream[] = [DOCS, MAIL],
  answers: Readonly<Record<number, UpstreamAnswer | ApiError>> = {},
  unknown: readonly number[] = [],
) {
  const sent: unknown[] = [];
  const wishes: Wish[] = [];
  const callMethod: UpstreamRequests['callMethod'] = (_ctx, connectionId, method, params) => {
    sent.push([connectionId, method, params.parse()]);
    const answer = answers[connectionId] ?? resultAnswer({});
    return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const deps = {
    upstreamLists: {
      find: (_ctx: RequestContext, ids: readonly number[], wish: Wish) => {
        wishes.push(wish);
        const of = (id: number) => upstreams.find(({ upstream }) => upstream.connectionId === id)?.lists;
        return Promise.resolve(ids.map((id) => (unknown.includes(id) ? undefined : of(id))));
      },
    },
    upstreamRequests: { callMethod },
  };
  const sources = upstreams.map(({ upstream }) => upstream);
  const served = { ...servedServer([]), upstreams: sources, sources };
  const send = async (method: string, params: object = {}, isStateless = false) => {
    const members = objectSlices(Buffer.from(JSON.stringify(params))) ?? new Map<string, Uint8Array>();
    const request = { method, params: members, isStateless };
    const passed = await passRequest(deps, ctx, served, request, unaryChannel({ isStateless }));
    return passed && (JSON.parse(jsonText(passed)) as unknown);
  };
  return {
    send,
    sent,
    wishes,
    capabilities: () => findUpstreamCapabilities(deps, ctx, served),
    offering: (wish: Wish) => findOffering(deps, ctx, served.upstreams, wish),
  };
}

async function* noChanges() {
  await Promise.reject(new Error('Nothing is followed.'));
  yield { uris: [], haveListsChanged: false };
}

/** Upstreams with unknown lists; none is called, and nothing changes. */
export const nothingPasses: PassRequestDeps & ListenToChangesDeps = {
  followedLists: { follow: () => () => undefined },
  listChanges: { subscribe: () => () => undefined },
  upstreamChanges: { listen: noChanges },
  timers: systemTimers,
  stopping: new AbortController().signal,
  upstreamLists: { find: (_ctx, ids) => Promise.resolve(ids.map(() => undefined)) },
  upstreamRequests: { callMethod: () => Promise.reject(new Error('Nothing passes.')) },
};
