import * as fc from 'fast-check';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { textOf } from '../templates.ts';

/** The relation of a response's id to the request's id. */
const IDS = ['same', 'text', 'other', 'null', 'object', 'none'] as const;

/** A message of a server, as data. */
type MessagePlan =
  | { readonly kind: 'result'; readonly id: (typeof IDS)[number]; readonly change: Change | null }
  | { readonly kind: 'error'; readonly id: (typeof IDS)[number]; readonly code: Json; readonly message: Json }
  | { readonly kind: 'request'; readonly method: string; readonly id: Json }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Json }
  | { readonly kind: 'any'; readonly value: Json };

/** Replaces one value of a message; `at` is its index in document order. */
interface Change {
  readonly at: number;
  readonly value: Json;
}

/** A server's answer to one kind of request. */
interface AnswerPlan {
  readonly status: number;
  readonly contentType: string;
  readonly framing: 'json' | 'events';
  readonly messages: readonly MessagePlan[];
  readonly damage: {
    readonly kind: 'none' | 'cut' | 'drop' | 'repeat' | 'change';
    readonly at: number;
    readonly byte: number;
  };
  /** `endless` repeats the body until the client closes; `silent` sends nothing more and leaves the connection open. */
  readonly end: 'end' | 'destroy' | 'silent' | 'endless';
  readonly header: readonly [string, string] | null;
}

/** The kinds of client requests with answers of their own; others get the answer for `other`. */
const METHODS = [
  'server/discover',
  'initialize',
  'notifications/initialized',
  'tools/list',
  'tools/call',
  'other',
] as const;

/** The script of a generated server in one session: its answer to each kind of request. */
export type McpScript = Readonly<Record<(typeof METHODS)[number], AnswerPlan>>;

/** The weights of the end of a message let most sessions reach their last step. */
const id = fc.oneof({ weight: 12, arbitrary: fc.constant('same' as const) }, fc.constantFrom(...IDS));
// fast-check's type requires writable members.
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const change = fc.option(fc.record({ at: fc.nat(60), value: json }), { freq: 1 });

const message: fc.Arbitrary<MessagePlan> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('result' as const), id, change }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('error' as const),
      id,
      code: fc.oneof(fc.constantFrom<Json[]>(-32_020, -32_601, -32_600, -32_001, 0), json),
      message: fc.oneof(fc.string(), json),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      method: fc.constantFrom('ping', 'sampling/createMessage', 'roots/list', 'elicitation/create', ''),
      id: fc.oneof(fc.nat(), fc.string(), json),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('notification' as const),
      method: fc.constantFrom(
        'notifications/progress',
        'notifications/tools/list_changed',
        'notifications/message',
        '',
      ),
      params: json,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('any' as const), value: json }) },
);

const RIGHT: AnswerPlan = {
  status: 200,
  contentType: 'application/json',
  framing: 'json',
  messages: [{ kind: 'result', id: 'same', change: null }],
  damage: { kind: 'none', at: 0, byte: 0 },
  end: 'end',
  header: null,
};

const hostile: fc.Arbitrary<AnswerPlan> = fc.record({
  status: fc.oneof(
    { weight: 10, arbitrary: fc.constant(200) },
    fc.constantFrom(202, 204, 301, 304, 400, 401, 403, 404, 405, 500, 503),
  ),
  contentType: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom('application/json', 'text/event-stream') },
    fc.constantFrom('text/html', 'text/event-stream; charset=x', 'application/json;', ''),
  ),
  framing: fc.constantFrom('json', 'events'),
  messages: fc.oneof(
    { weight: 10, arbitrary: fc.array(message, { maxLength: 4 }) },
    // One message, repeated many times.
    fc
      .tuple(message, fc.integer({ min: 50, max: 300 }))
      .map(([one, count]) => Array<MessagePlan>(count).fill(one)),
  ),
  damage: fc.record({
    kind: fc.oneof(
      { weight: 4, arbitrary: fc.constant('none' as const) },
      fc.constantFrom('cut' as const, 'drop' as const, 'repeat' as const, 'change' as const),
    ),
    at: fc.nat(400),
    byte: fc.nat(255),
  }),
  end: fc.oneof(
    { weight: 30, arbitrary: fc.constant('end' as const) },
    { weight: 4, arbitrary: fc.constant('destroy' as const) },
    fc.constantFrom('silent' as const, 'endless' as const),
  ),
  header: fc.option(
    fc.constantFrom<(readonly [string, string])[]>(
      ['mcp-session-id', 's'],
      ['mcp-session-id', 'é '.repeat(50)],
      ['location', '/elsewhere'],
      ['content-encoding', 'gzip'],
      ['www-authenticate', 'Bearer resource_metadata="http://127.0.0.1:1/"'],
    ),
    { freq: 4 },
  ),
});

const answer = fc.oneof({ weight: 2, arbitrary: fc.constant(RIGHT) }, hostile);
const later = fc.oneof({ weight: 1, arbitrary: fc.constant(RIGHT) }, { weight: 3, arbitrary: hostile });

/** Servers with hostile answers: truncated, of a wrong type, to another request, repeated, endless, or missing. */
export const mcpScripts: fc.Arbitrary<McpScript> = fc.record({
  'server/discover': answer,
  initialize: answer,
  'notifications/initialized': answer,
  'tools/list': later,
  'tools/call': later,
  other: answer,
});

/** The body of the answer to a client's message. */
export function scriptedBody(plan: AnswerPlan, request: JsonObject): Buffer {
  const messages = plan.messages.map((one) => JSON.stringify(rendered(one, request)));
  const [only = ''] = messages;
  const text =
    plan.framing === 'events'
      ? messages.map((data) => `event: message\ndata: ${data}\n\n`).join('')
      : messages.length === 1
        ? only
        : `[${messages.join(',')}]`;
  return damaged(Buffer.from(text), plan.damage);
}

/** The script's answer to a client's message. */
export function planFor(script: McpScript, request: JsonObject): AnswerPlan {
  const method = METHODS.find((name) => name === request['method']) ?? 'other';
  return script[method];
}

function rendered(plan: MessagePlan, request: JsonObject): Json {
  switch (plan.kind) {
    case 'result': {
      const right: JsonObject = { jsonrpc: '2.0', ...idOf(plan.id, request), result: rightResult(request) };
      return plan.change === null ? right : changed(right, plan.change);
    }
    case 'error':
      return {
        jsonrpc: '2.0',
        ...idOf(plan.id, request),
        error: { code: plan.code, message: plan.message },
      };
    case 'request':
      return { jsonrpc: '2.0', id: plan.id, method: plan.method };
    case 'notification':
      return { jsonrpc: '2.0', method: plan.method, params: plan.params };
    case 'any':
      return plan.value;
  }
}

function idOf(kind: (typeof IDS)[number], { id: asked = null }: JsonObject): JsonObject {
  switch (kind) {
    case 'same':
      return { id: asked };
    case 'text':
      return { id: JSON.stringify(asked) };
    case 'other':
      return { id: Number(asked) + 1 };
    case 'null':
      return { id: null };
    case 'object':
      return { id: { id: asked } };
    case 'none':
      return {};
  }
}

const SERVER = { capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };

function rightResult({ method, params = null }: JsonObject): JsonObject {
  // Clients send an object.
  const { protocolVersion = '', cursor = '' } = (params ?? {}) as JsonObject;
  switch (method) {
    case 'server/discover':
      return { resultType: 'complete', supportedVersions: ['2026-07-28'], ...SERVER };
    case 'initialize':
      return { protocolVersion, ...SERVER };
    case 'tools/list':
      return {
        resultType: 'complete',
        tools: [
          {
            name: `do${textOf(cursor)}`,
            title: 'Do',
            inputSchema: { type: 'object', properties: { a: {} } },
          },
        ],
        nextCursor: `${textOf(cursor)}1`,
      };
    default:
      return {
        resultType: 'complete',
        content: [{ type: 'text', text: 'done' }],
        structuredContent: { a: [1] },
      };
  }
}

/** A copy in which the value at an index, in document order, is replaced. */
function changed(value: Json, { at, value: next }: Change): Json {
  let position = -1;
  const copy = (part: Json): Json => {
    position += 1;
    if (position === at) return next;
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((member: Json) => copy(member));
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, copy(member)]));
  };
  return copy(value);
}

function damaged(bytes: Buffer, { kind, at, byte }: AnswerPlan['damage']): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  switch (kind) {
    case 'none':
      return bytes;
    case 'cut':
      return bytes.subarray(0, place);
    case 'drop':
      return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + byte)]);
    case 'repeat':
      return Buffer.concat([bytes, bytes.subarray(place)]);
    case 'change': {
      const copy = Buffer.from(bytes);
      copy.fill(byte, place, place + 1);
      return copy;
    }
  }
}
