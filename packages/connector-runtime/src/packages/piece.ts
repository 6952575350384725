import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isObject } from '../templates.ts';
import type { PackageCredential } from './package-job.ts';

// Pieces of Activepieces with version 2 of their context. A piece is untrusted code: any member may have any type.

/** The version of the context that actions get. */
const CONTEXT_VERSION = '2';

interface Piece {
  readonly head: Record<string, unknown>;
  readonly auth: readonly Record<string, unknown>[];
  readonly actions: readonly Record<string, unknown>[];
  readonly triggers: readonly Record<string, unknown>[];
}

/** Returns the piece in the exports of a program; throws if there is none with this version. */
function pieceIn(exported: unknown): Piece {
  const head = Object.values(isRecord(exported) ? exported : {})
    .filter(isRecord)
    .find(({ actions, triggers }) => typeof actions === 'function' && typeof triggers === 'function');
  if (head === undefined) throw new Error('The package has no piece.');
  const info = called(head, 'getContextInfo');
  const version = isRecord(info) ? info['version'] : undefined;
  if (version !== CONTEXT_VERSION)
    throw new Error(
      `The piece is of the context version ${typeof version === 'string' ? version : '1'}, not ${CONTEXT_VERSION}.`,
    );
  const { auth } = head;
  return {
    head,
    auth: (Array.isArray(auth) ? auth : [auth]).filter(isRecord),
    actions: recordsIn(called(head, 'actions')),
    triggers: recordsIn(called(head, 'triggers')),
  };
}

/** The description of a piece as JSON, without its functions. */
export function describePiece(exported: unknown): JsonObject {
  const { head, auth, actions, triggers } = pieceIn(exported);
  const { displayName, description } = head;
  const text = JSON.stringify(
    {
      piece: { displayName, description },
      auth,
      actions,
      triggers: triggers.map(({ name, type }) => ({ name, type })),
    },
    // The fields of an action repeat the piece's methods.
    (key, value: unknown) => (key === 'auth' && !Array.isArray(value) ? undefined : value),
  );
  // The text is the JSON of an object.
  return JSON.parse(text) as JsonObject;
}

/** Runs an action of a piece. Rethrows its errors. */
export async function callPiece(
  exported: unknown,
  { action: name, credential, fields }: PieceCall,
): Promise<JsonObject> {
  const { auth, actions } = pieceIn(exported);
  const action = actions.find((each) => each['name'] === name);
  if (action === undefined || typeof action['run'] !== 'function')
    throw new Error(`The piece has no action ${name}.`);
  const props = isRecord(action['props']) ? action['props'] : {};
  const context = contextOf({
    auth: authOf(auth[credential.method], credential),
    propsValue: { ...defaultsOf(props), ...valuesOf(props, fields) },
  });
  const result: unknown = await Reflect.apply(action['run'], action, [context]);
  const text = JSON.stringify(result ?? null);
  // JSON.parse returns JSON.
  const output = JSON.parse(text) as Json;
  return isObject(output) ? output : { result: output };
}

interface PieceCall {
  readonly action: string;
  readonly credential: PackageCredential;
  readonly fields: JsonObject;
}

/** The credential in the form of its method, always without a refresh token. */
function authOf(
  method: Record<string, unknown> | undefined,
  { fields, accessToken }: PackageCredential,
): unknown {
  const names = Object.keys(isRecord(method?.['props']) ? method['props'] : {});
  const props = Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  const type = method?.['type'];
  switch (type) {
    case 'SECRET_TEXT':
      return { type, secret_text: fields['secret'] };
    case 'BASIC_AUTH':
      return { type, username: fields['username'], password: fields['password'] };
    case 'CUSTOM_AUTH':
      return { type, props };
    case 'OAUTH2':
      return { type, access_token: accessToken, token_type: 'Bearer', scope: '', data: {}, props };
    default:
      return undefined;
  }
}

/** Values that people see as defaults in a form. */
function defaultsOf(props: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(props).flatMap(([name, prop]) => {
      const value = isRecord(prop) ? prop['defaultValue'] : undefined;
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

function valuesOf(props: Record<string, unknown>, fields: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, valueOf(props[name], value)]),
  );
}

/** The value of an input as actions expect it: a file has its content. */
function valueOf(prop: unknown, value: Json): unknown {
  if (!isRecord(prop) || prop['type'] !== 'FILE' || !isObject(value)) return value;
  const { name, base64 } = value;
  const filename = typeof name === 'string' ? name : 'file';
  const content = typeof base64 === 'string' ? base64 : '';
  return {
    filename,
    extension: filename.includes('.') ? filename.slice(filename.lastIndexOf('.') + 1) : undefined,
    base64: content,
    data: Buffer.from(content, 'base64'),
  };
}

/** The context of an action besides its inputs. A call stores nothing and waits for nobody. */
function contextOf(members: { readonly auth: unknown; readonly propsValue: object }): object {
  const kept = new Map<string, unknown>();
  return {
    ...members,
    executionType: 'BEGIN',
    store: {
      put: async (key: string, value: unknown) => {
        kept.set(key, value);
        return value;
      },
      get: async (key: string) => kept.get(key) ?? null,
      delete: async (key: string) => void kept.delete(key),
    },
    files: {
      write: async ({ data }: { readonly data: Uint8Array }) =>
        `data:application/octet-stream;base64,${Buffer.from(data).toString('base64')}`,
    },
    server: { apiUrl: 'https://localhost/', publicUrl: 'https://localhost/', token: '' },
    connections: { get: async () => null },
    project: { id: 'project', externalId: async () => undefined },
    flows: {
      current: { id: 'flow', version: { id: 'version' } },
      list: async () => ({ data: [], next: null, previous: null }),
    },
    step: { name: 'step' },
    tags: { add: async () => undefined },
    output: { update: async () => undefined },
    run: {
      id: randomUUID(),
      stop: () => undefined,
      respond: () => undefined,
      pause: wait,
      createWaitpoint: wait,
      waitForWaitpoint: wait,
    },
    generateResumeUrl: wait,
  };
}

function wait(): never {
  throw new Error('The action waits for an event outside of its call, which a tool cannot do.');
}

function called(holder: Record<string, unknown>, name: string): unknown {
  const method = holder[name];
  return typeof method === 'function' ? (Reflect.apply(method, holder, []) as unknown) : undefined;
}

function recordsIn(value: unknown): readonly Record<string, unknown>[] {
  return Object.values(isRecord(value) ? value : {}).filter(isRecord);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
