import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { isObject } from '../templates.ts';

// The messages between the service and a worker that runs the code of a package, which may have taken over its process: the service
// checks each member.

/** The largest body of a request, and of a response, of a package. */
export const MAX_REQUEST_BODY_BYTES = 700 * 1024;
export const MAX_RESPONSE_BODY_BYTES = 5 * 1024 * 1024;

/** The credential of a call, as the fields of its connection and the access token of a sign-in. */
export interface PackageCredential {
  /** The position of the method among those of the package. */
  readonly method: number;
  readonly fields: JsonObject;
  readonly accessToken: string | undefined;
}

/** A job of a worker. */
export type PackageJob =
  | { readonly kind: 'describe'; readonly program: string }
  | {
      readonly kind: 'call';
      readonly program: string;
      readonly action: string;
      readonly credential: PackageCredential;
      readonly fields: JsonObject;
    };

/** The end of a job. */
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

/** The response to it, or why it was not sent. */
export type PackageResponse =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads an answer; throws if it is none. */
export function parsePackageAnswer(value: unknown): PackageAnswer {
  const { kind, output, message, isUnauthorized } = objectOf(value);
  if (kind === 'done') return { kind, output: objectOf(output) };
  if (kind === 'failed') return { kind, message: textOf(message), isUnauthorized: isUnauthorized === true };
  throw new TypeError('A worker answered something else than the end of a call.');
}

/** Reads a request; throws if it is none. */
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
  // It was parsed from JSON.
  const json = value as Json | undefined;
  if (!isObject(json)) throw new TypeError('A worker sent something else than an object.');
  return json;
}

function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('A worker sent something else than a text.');
  return value;
}
