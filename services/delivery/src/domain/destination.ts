import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';

/** Why a destination was disabled. */
export type DisabledReason = 'consecutiveFailures' | 'owner';

/** An address of an account that events are delivered to. */
export interface Destination {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Names of the additional request headers, in lower case. */
  readonly headerNames: readonly string[];
  /** Null: enabled. */
  readonly disabledReason: DisabledReason | null;
  /** Number of distinct events in a row that were dead-lettered. */
  readonly consecutiveFailures: number;
  /** Number of them that disables the destination. */
  readonly maxConsecutiveFailures: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The content of a new destination. */
export interface DestinationContent {
  /** Empty: the host of the URL is used. */
  readonly name: string;
  readonly url: string;
  /** Values by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isEnabled: boolean;
  readonly maxConsecutiveFailures: number;
}

/** A change of a destination; an absent member keeps its value. */
export interface DestinationChange {
  readonly name?: string;
  readonly url?: string;
  /** All headers after the change: new values, and names whose values stay. */
  readonly headers?: HeaderChange;
  readonly isEnabled?: boolean;
  readonly maxConsecutiveFailures?: number;
}

/** The headers of a destination after a change. */
export interface HeaderChange {
  readonly values: Readonly<Record<string, string>>;
  readonly kept: readonly string[];
}

/** A deleted destination. */
export interface Deletion {
  readonly accountId: string;
  readonly destinationId: string;
  readonly occurredAt: Date;
}

/** A destination that was disabled by consecutive failures. */
export interface Disabling {
  readonly accountId: string;
  readonly destinationId: string;
  /** Number of distinct events in a row that were dead-lettered. */
  readonly failures: number;
  readonly occurredAt: Date;
}

/** Default number of consecutive dead-lettered events that disables a destination. */
export const DEFAULT_MAX_FAILURES = 5;
/** Largest number that an account may choose. */
export const LARGEST_MAX_FAILURES = 100;
/** Maximum number of destinations per account. */
export const MAX_DESTINATIONS = 1_000;

const MAX_NAME = 200;
const MAX_URL = 2_048;
const MAX_HEADERS = 20;
const MAX_HEADER_NAME = 100;
const MAX_HEADER_VALUE = 2_000;

/** Header names that are reserved by HTTP or by the delivery of events. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const RESERVED_PREFIX = /^(?:fairlead|webhook|proxy)-/;
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
/** Visible ASCII with spaces inside: read alike by every server. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The content with lower-case header names, and with a name. VALIDATION_ERROR names each invalid member. */
export function checkContent(content: DestinationContent): DestinationContent {
  const issues = [
    ...nameIssues(content.name),
    ...urlIssues(content.url),
    ...failureIssues(content.maxConsecutiveFailures),
    ...headerIssues(content.headers, []),
  ];
  if (issues.length > 0) throw validationError(...issues);
  const name = content.name === '' ? new URL(content.url).host : content.name;
  return { ...content, name, headers: lowerCased(content.headers) };
}

/** The change with lower-case header names, checked like checkContent. */
export function checkChange(change: DestinationChange): DestinationChange {
  const { name, url, headers, maxConsecutiveFailures } = change;
  const issues = [
    ...(name === undefined ? [] : name === '' ? [tooLong('name', MAX_NAME)] : nameIssues(name)),
    ...(url === undefined ? [] : urlIssues(url)),
    ...(maxConsecutiveFailures === undefined ? [] : failureIssues(maxConsecutiveFailures)),
    ...(headers === undefined ? [] : headerIssues(headers.values, headers.kept)),
  ];
  if (issues.length > 0) throw validationError(...issues);
  if (headers === undefined) return change;
  const kept = headers.kept.map((each) => each.toLowerCase());
  return { ...change, headers: { values: lowerCased(headers.values), kept } };
}

/**
 * Throws VALIDATION_ERROR for a change to another origin without sending the headers again. Nobody can read them, so whoever changes the
 * address must prove to know them.
 */
export function requireHeadersAgain(
  existing: Pick<Destination, 'url' | 'headerNames'>,
  { url, headers }: DestinationChange,
): void {
  if (url === undefined || new URL(url).origin === new URL(existing.url).origin) return;
  const staying = headers === undefined ? existing.headerNames : headers.kept;
  if (staying.length === 0) return;
  const issue = `must be sent again with their values, or as {}, because url has another origin: ${staying.join(', ')}`;
  throw validationError({ field: 'headers', issue });
}

function tooLong(field: string, most: number): FieldIssue {
  return { field, issue: `must have 1 to ${String(most)} characters` };
}

function nameIssues(name: string): readonly FieldIssue[] {
  return name.length > MAX_NAME ? [tooLong('name', MAX_NAME)] : [];
}

function urlIssues(text: string): readonly FieldIssue[] {
  if (text.length > MAX_URL) return [tooLong('url', MAX_URL)];
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return [{ field: 'url', issue: 'must be an http or https URL' }];
  if (url.username !== '' || url.password !== '')
    return [{ field: 'url', issue: 'must not hold a user name or password: send them in a header' }];
  return url.hash === '' ? [] : [{ field: 'url', issue: 'must not have a fragment' }];
}

function failureIssues(count: number): readonly FieldIssue[] {
  if (Number.isInteger(count) && count >= 1 && count <= LARGEST_MAX_FAILURES) return [];
  return [{ field: 'maxConsecutiveFailures', issue: `must be from 1 to ${String(LARGEST_MAX_FAILURES)}` }];
}

function headerIssues(
  values: Readonly<Record<string, string>>,
  kept: readonly string[],
): readonly FieldIssue[] {
  const entries = Object.entries(values);
  const names = [...entries.map(([name]) => name), ...kept];
  if (names.length > MAX_HEADERS)
    return [{ field: 'headers', issue: `must have at most ${String(MAX_HEADERS)} members` }];
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  if (distinct.size < names.length)
    return [{ field: 'headers', issue: 'must name each header once, whatever its case' }];
  return [
    ...names.flatMap((name) => headerNameIssues(name)),
    ...entries
      .filter(([, value]) => value.length > MAX_HEADER_VALUE || !HEADER_VALUE.test(value))
      .map(([name]) => ({
        field: `headers.${name}`,
        issue: `must be 1 to ${String(MAX_HEADER_VALUE)} visible ASCII characters`,
      })),
  ];
}

function headerNameIssues(headerName: string): readonly FieldIssue[] {
  const name = headerName.toLowerCase();
  const field = `headers.${headerName}`;
  if (name.length > MAX_HEADER_NAME || !TOKEN.test(name))
    return [{ field, issue: 'is not the name of a header' }];
  if (RESERVED_HEADERS.has(name) || RESERVED_PREFIX.test(name)) return [{ field, issue: 'is reserved' }];
  return [];
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
