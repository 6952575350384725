import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isObject } from '../templates.ts';

// Messages between the service and a worker that runs the code of a package. The code may have taken over the process, so the service
// checks each member.

/** Maximum bytes of the body of a package's request, and of its response. */
export const MAX_REQUEST_BODY_BYTES = 700 * 1024;
export const MAX_RESPONSE_BODY_BYTES = 5 * 1024 * 1024;

/** The credential of a call: the connection's fields, and the access token if the method is OAuth 2. */
export interface PackageCredential {
  /** Index of the method in the package's list. */
  readonly method: number;
  readonly fields: JsonObject;
  readonly accessToken: string | undefined;
}

/** The start of an MCP server. */
export interface ServerStart {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

/** A worker's job. */
export type PackageJob =
  | { readonly kind: 'describePiece'; readonly program: string }
  | {
      readonly kind: 'callPiece';
      readonly program: string;
      readonly action: string;
      readonly credential: PackageCredential;
      readonly fields: JsonObject;
    }
  | ({ readonly kind: 'describeServer' } & ServerStart)
  | ({ readonly kind: 'callServer'; readonly action: string; readonly fields: JsonObject } & ServerStart);

/** The result of a job. */
export type PackageAnswer =
  | { readonly kind: 'done'; readonly output: JsonObject }
  | { readonly kind: 'failed'; readonly message: string; readonly isUnauthorized: boolean };

/** A request that a worker asks the service to send. */
export interface PackageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
}

/** The response to a package's request, or the reason why it was not sent. */
export type PackageResponse =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Parses an answer; throws if it has another form. */
export function parsePackageAnswer(value: unknown): PackageAnswer {
  const { kind, output, message, isUnauthorized } = objectOf(value);
  if (kind === 'done') return { kind, output: objectOf(output) };
  if (kind === 'failed') return { kind, message: textOf(message), isUnauthorized: isUnauthorized === true };
  throw new TypeError('The answer of a worker is not the end of a call.');
}

/** Parses a request; throws if it has another form. */
export function parsePackageRequest(value: unknown): PackageRequest {
  const { method, url, headers, body } = objectOf(value);
  const named = Object.entries(objectOf(headers)).map(([name, text]) => [name, textOf(text)] as const);
  return {
    method: textOf(method),
    url: textOf(url),
    headers: Object.fromEntries(named),
    body: textOf(body),
  };
}

function objectOf(value: unknown): JsonObject {
  // The value was parsed from JSON.
  const json = value as Json | undefined;
  if (!isObject(json)) throw new TypeError('The message of a worker is not an object.');
  return json;
}

function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('The message of a worker is not a string.');
  return value;
}
