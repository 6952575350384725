import { createHash } from 'node:crypto';
import type { JsonObject } from '@bufbuild/protobuf';
import { clientOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson, parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { ToolInputs } from '../domain/mcp-client.ts';
import type { RpcRequest } from './answer-post.ts';
import { isObject, RPC_ERRORS, RpcError, textIn } from './json-rpc.ts';
import type { RpcParams } from './json-rpc.ts';
import { InputRequired } from './input-required.ts';
import type { RequestStates } from '../ports/request-states.ts';

export interface RoundTripDeps {
  readonly requestStates: RequestStates;
}

type Result = Readonly<Record<string, LazyValue>>;
type Answers = Readonly<Record<string, JsonObject>>;

/** Handles input requests in results: version 2026-07-28, "Multi round-trip requests". */
export interface RoundTrip {
  /** The client's answers to requests that this service made itself, by name. */
  readonly answers: Answers;
  /** Answers to requests that the tool made, with its state; undefined: the request brings none. */
  readonly inputs: ToolInputs | undefined;
  /** The result of `work`. If the work needs input from the client, the result contains the requests, and a state with the answers so far. */
  run(work: () => Promise<Result>): Promise<Result>;
}

/** A request without answers, whose work needs no input. */
export const NO_ROUND_TRIP: RoundTrip = { answers: {}, inputs: undefined, run: (work) => work() };

const RESPONSES = 'inputResponses';
const STATE = 'requestState';
/** Members of params that differ between rounds. */
const CHANGING: ReadonlySet<string> = new Set(['_meta', RESPONSES, STATE]);

/** The state of a request while its client is being asked. */
interface State {
  /** Names of the requests in the last result that this service made itself. */
  readonly asked: readonly string[];
  readonly answers: Answers;
  readonly toolState: string | undefined;
}

const NO_STATE: State = { asked: [], answers: {}, toolState: undefined };

/** Parses what a request returns from an earlier result; RpcError if it is malformed or belongs to another request. */
export async function openRoundTrip(
  { requestStates }: RoundTripDeps,
  ctx: RequestContext,
  serverId: string,
  { method, params }: Pick<RpcRequest, 'method' | 'params'>,
): Promise<RoundTrip> {
  const binding = (): readonly string[] => bindingOf(ctx, serverId, method, params);
  const sentState = params.has(STATE) ? requiredText(params, STATE) : undefined;
  const state = await openedState(requestStates, ctx, binding, sentState);
  const responses = responsesIn(params);
  const own = Object.fromEntries(
    state.asked.flatMap((name) => {
      const response = responses.get(name)?.parse();
      return isObject(response) ? [[name, response] as const] : [];
    }),
  );
  const answers: Answers = { ...state.answers, ...own };
  const { toolState } = state;
  const toTool = [...responses].filter(([name]) => !state.asked.includes(name));
  const hasInputs = toTool.length > 0 || toolState !== undefined;
  const seal = (next: State): Promise<string> => requestStates.seal(ctx, binding(), toJson(next));
  return {
    answers,
    inputs: hasInputs ? { responses: jsonBytes(Object.fromEntries(toTool)), state: toolState } : undefined,
    async run(work) {
      try {
        const result = await work();
        if (!asksClient(result) || Object.keys(answers).length === 0) return result;
        return { ...result, [STATE]: await seal({ asked: [], answers, toolState: textOf(result[STATE]) }) };
      } catch (error) {
        if (!(error instanceof InputRequired)) throw error;
        const { name, method: asked, params: of } = error.question;
        return {
          resultType: 'input_required',
          inputRequests: { [name]: { method: asked, params: of } },
          [STATE]: await seal({ asked: [name], answers, toolState }),
        };
      }
    },
  };
}

async function openedState(
  states: RequestStates,
  ctx: RequestContext,
  binding: () => readonly string[],
  sent: string | undefined,
): Promise<State> {
  if (sent === undefined) return NO_STATE;
  if (!states.isOwn(sent)) return { ...NO_STATE, toolState: sent };
  const state = await states.open(ctx, binding(), sent);
  if (state === undefined)
    throw new RpcError(
      RPC_ERRORS.invalidParams,
      `params.${STATE}: is not valid for this request, or too old`,
    );
  return fromJson(state);
}

/** A state is valid for one caller, server, method and arguments. */
function bindingOf(
  ctx: RequestContext,
  serverId: string,
  method: string,
  params: RpcParams,
): readonly string[] {
  const caller = clientOf(ctx);
  const kept = [...params].filter(([name]) => !CHANGING.has(name));
  const values = Object.fromEntries(kept.map(([name, json]) => [name, new LazyJson(json, name).parse()]));
  const digest = createHash('sha256').update(canonicalJson(values)).digest('base64url');
  return [serverId, caller.kind === 'user' ? caller.userId : '', method, digest];
}

function responsesIn(params: RpcParams): ReadonlyMap<string, LazyJson> {
  const bytes = params.get(RESPONSES);
  if (bytes === undefined) return new Map();
  const responses = objectSlices(bytes);
  if (responses === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, `params.${RESPONSES}: must be an object`);
  return new Map([...responses].map(([name, json]) => [name, new LazyJson(json, name)]));
}

function requiredText(params: RpcParams, name: string): string {
  const text = textIn(params, name);
  if (text === undefined) throw new RpcError(RPC_ERRORS.invalidParams, `params.${name}: must be a string`);
  return text;
}

/** Whether a result requests input from the client. */
export function asksClient({ resultType }: Result): boolean {
  return textOf(resultType) === 'input_required';
}

function textOf(value: LazyValue | undefined): string | undefined {
  const text = value === undefined ? undefined : parsed(value);
  return typeof text === 'string' ? text : undefined;
}

function toJson({ asked, answers, toolState }: State): JsonObject {
  return { asked: [...asked], answers, ...(toolState !== undefined && { toolState }) };
}

/** Only toJson creates such states, which the seal proves. */
function fromJson({ asked, answers, toolState }: JsonObject): State {
  return {
    asked: Array.isArray(asked) ? asked.map(String) : [],
    answers: isObject(answers)
      ? Object.fromEntries(
          Object.entries(answers).flatMap(([name, it]) => (isObject(it) ? [[name, it]] : [])),
        )
      : {},
    toolState: typeof toolState === 'string' ? toolState : undefined,
  };
}
