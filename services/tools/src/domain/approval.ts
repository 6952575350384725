import type { Json } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import { isJsonArray } from '@fairlead/connector-model/json';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { FileLabel } from './file.ts';

/** The state of an approval; it is `expired` if it was neither rejected nor used within a day. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'used' | 'expired';

/** A file of a call, for whoever approves the call: secrets in its label and in its text are masked. */
export interface ApprovedFile extends FileLabel {
  /** The name of the input. */
  readonly field: string;
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** The content, if it is UTF-8 text of at most MAX_SHOWN_FILE_BYTES; otherwise null. */
  readonly text: string | null;
  /** The id of the content that was fetched and is kept for the call; null: the call brings or names its content itself. */
  readonly heldFileId: string | null;
}

/** Files of one call that can be approved, the largest of them whose text is shown, and the JSON of all their texts. */
export const MAX_APPROVED_FILES = 10;
export const MAX_SHOWN_FILE_BYTES = 64 * 1024;
export const MAX_SHOWN_JSON_BYTES = 1024 * 1024;

/** The request that a person permits one call. */
export interface Approval {
  /** A GUID. */
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly toolsetId: string;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Null: the tool needs none. */
  readonly connectionId: number | null;
  /** The end user whose connection the call uses, or for whom the workflow runs; null: none. */
  readonly endUserId: string | null;
  /** The inputs as the call will run, secrets masked. */
  readonly fields: LazyJson;
  /** Filters, sorts, top and offset of the call, those that it has, secrets masked. */
  readonly query: LazyJson;
  readonly files: readonly ApprovedFile[];
  /** The user who calls. */
  readonly requestedBy: string;
  /** The user who approved or rejected it; null: nobody has. */
  readonly decidedBy: string | null;
  /** Whether the user who calls may not decide it. */
  readonly requiresOther: boolean;
  /**
   * Stands for the call that is approved: toolset, tool and its version, connections with their addresses and the revisions of their
   * credentials, end user, caller, inputs and the content of files.
   */
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** When an approval ends that was requested at `createdAt`. Source: row completion.toolsets-and-workflows.11. */
export function expiryOf(createdAt: Date): Date {
  return new Date(createdAt.getTime() + DAY_MS);
}

/** Approvals that were requested then or before have ended at `now`. */
export function expiredSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** A connection as an approval is bound to it. */
export interface BoundConnection {
  readonly id: number;
  /** Revision of its credential; null: the connection is gone. */
  readonly revision: string | null;
  /** The base URL that its application's tools are called at, as its connector states it; null: none. */
  readonly baseUrl: string | null;
  /** Whether it is the default of its account, or of its end user, if that decides on whether it is used. */
  readonly isDefault?: boolean;
}

/** Everything that decides on what a call does besides its inputs. */
export interface BoundCall {
  /** Each connection that the call, or a step of the workflow, may use, in any order. */
  readonly connections: readonly BoundConnection[];
  /** A text of the tools that the steps of a workflow may call and of the policy that they run under. */
  readonly steps?: string;
}

/** The refusal of a call with a secret in an input: masked, it would hide from whoever approves the call what runs, and its caller may have chosen it for that. */
export function secretRepeated(field: string): ApiError {
  return validationError({
    field,
    issue:
      'must not hold a secret of the connection, or of another input, where the schema does not mark one: whoever approves the call has to see what it sends',
  });
}

/** The call that an approval is bound to. */
export interface ApprovedCall {
  readonly toolsetId: string;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Another one may do something else, which nobody has approved. */
  readonly toolVersion: string;
  /** Null: the tool needs none. */
  readonly connectionId: number | null;
  readonly bound: BoundCall;
  /** The end user whose connection it uses, or for whom the workflow runs; null: none. */
  readonly endUserId: string | null;
  /** The user who calls. */
  readonly userId: string;
  /** Everything that the call sends, with a description of each file in place of its content. */
  readonly inputs: Json;
}

/** A text that two calls share only if they are the same in everything that an approval is bound to. */
export function canonicalCall({
  toolsetId,
  applicationSlug,
  toolSlug,
  toolVersion,
  connectionId,
  bound,
  endUserId,
  userId,
  inputs,
}: ApprovedCall): string {
  return JSON.stringify([
    toolsetId,
    applicationSlug,
    toolSlug,
    toolVersion,
    connectionId,
    bound.connections
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, revision, baseUrl, isDefault }) => [id, revision, baseUrl, isDefault]),
    bound.steps,
    endUserId,
    userId,
    JSON.stringify(sorted(inputs)),
  ]);
}

/** The same value with the members of every object as a list, in the order of their names. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) return ['array', ...value.map(sorted)];
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ['object', ...members.map(([name, member]) => [name, sorted(member)])];
}
