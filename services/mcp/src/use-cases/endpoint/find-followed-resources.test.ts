import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { OfferingUpstream } from '../../domain/merged-lists.ts';
import { offering } from '../../testing/upstreams.ts';
import { findFollowedResources } from './find-followed-resources.ts';

const telling = ({ upstream, lists }: OfferingUpstream): OfferingUpstream => ({
  upstream,
  lists: { ...lists, hasSubscriptions: true },
});

function followed(all: readonly OfferingUpstream[], uris: readonly string[]) {
  const upstreamLists = {
    find: (_ctx: unknown, ids: readonly number[]) =>
      Promise.resolve(ids.map((id) => all.find(({ upstream }) => upstream.connectionId === id)?.lists)),
  };
  const upstreams = all.map(({ upstream }) => upstream);
  return findFollowedResources({ upstreamLists }, testContext(), upstreams, uris);
}

test('a resource is followed at its owner, or at the first upstream that tells of changes', async () => {
  const silent = offering(6, { resources: [{ uri: 'x://0' }] });
  const docs = telling(offering(7, { resources: [{ uri: 'x://1' }] }));
  const mail = telling(offering(8, { templates: [{ uriTemplate: 'mail://{id}' }] }));
  const uris = ['x://1', 'mail://2', 'new://1', 'x://0'];
  expect(await followed([silent, docs, mail], uris)).toEqual([
    { upstream: docs.upstream, uris: ['x://1', 'new://1', 'x://0'] },
    { upstream: mail.upstream, uris: ['mail://2'] },
  ]);
  expect(await followed([silent], uris)).toEqual([]);
  expect(await followed([docs], [])).toEqual([]);
});
