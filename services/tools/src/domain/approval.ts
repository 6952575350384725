import { validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/json';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { FileLabel } from './file.ts';

/** Status of an approval; `expired` if it was neither rejected nor used within a day. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'used' | 'expired';

/** A file of a call, as its approver sees it: secrets in label and text are masked. */
export interface ApprovedFile extends FileLabel {
  /** The name of the input. */
  readonly field: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** The content if it is UTF-8 text of at most MAX_SHOWN_FILE_BYTES, otherwise null. */
  readonly text: string | null;
  /** Id of the content that was fetched and stored for the call; null: the request contains the content, or names a file. */
  readonly heldFileId: string | null;
}

/** Limits of a call that can be approved: number of files, largest file whose text is shown, and JSON size of all texts. */
export const MAX_APPROVED_FILES = 10;
export const MAX_SHOWN_FILE_BYTES = 64 * 1024;
export const MAX_SHOWN_JSON_BYTES = 1024 * 1024;

/** A request for permission to run one call. */
export interface Approval {
  /** A GUID. */
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly toolsetId: string;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Null: the tool needs no connection. */
  readonly connectionId: number | null;
  /** The end user whose connection is used, or for whom the workflow runs; null: none. */
  readonly endUserId: string | null;
  /** The call's final inputs, with secrets masked. */
  readonly fields: LazyJson;
  /** The call's filters, sorts, top and offset, if any, with secrets masked. */
  readonly query: LazyJson;
  readonly files: readonly ApprovedFile[];
  /** The user who calls. */
  readonly requestedBy: string;
  /** The user who approved or rejected; null: undecided. */
  readonly decidedBy: string | null;
  /** Whether the calling user may not decide. */
  readonly requiresOther: boolean;
  /**
   * Identifies the approved call: toolset, tool and its version, connections with their addresses and credential revisions, end user,
   * caller, inputs and the content of files.
   */
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** When an approval requested at `createdAt` expires. Source: row completion.toolsets-and-workflows.11. */
export function expiryOf(createdAt: Date): Date {
  return new Date(createdAt.getTime() + DAY_MS);
}

/** Approvals requested at or before this time have expired at `now`. */
export function expiredSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** A connection's state to which an approval is bound. */
export interface BoundConnection {
  readonly id: number;
  /** Revision of its credential; null: the connection is gone. */
  readonly revision: string | null;
  /** Base URL of the application's tools, from its connector; null: none. */
  readonly baseUrl: string | null;
  /** Whether it is the default of its account, or of its end user, if the call depends on that. */
  readonly isDefault?: boolean;
}

/** Everything besides the inputs that determines the effect of a call. */
export interface BoundCall {
  /** Connections that the call, or a step of the workflow, may use; unordered. */
  readonly connections: readonly BoundConnection[];
  /** Describes the tools that the steps of a workflow may call, and their policy. */
  readonly steps?: string;
}

/** Refuses a call with a secret in an input. Masking it would hide what runs from the approver, and the caller may have intended that. */
export function secretRepeated(field: string): ApiError {
  return validationError({
    field,
    issue:
      'must not hold a secret of the connection, or of another input, where the schema does not mark one: whoever approves the call has to see what it sends',
  });
}

/** The call to which an approval is bound. */
export interface ApprovedCall {
  readonly toolsetId: string;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Part of the fingerprint, because another version may do something nobody approved. */
  readonly toolVersion: string;
  /** Null: the tool needs no connection. */
  readonly connectionId: number | null;
  readonly bound: BoundCall;
  /** The end user whose connection is used, or for whom the workflow runs; null: none. */
  readonly endUserId: string | null;
  /** The user who calls. */
  readonly userId: string;
  /** The inputs of the call, with a description of each file instead of its content. */
  readonly inputs: Json;
}

/** A text that is equal for two calls only if everything to which an approval is bound is equal. */
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

/** The same value with the members of every object as a list, sorted by name. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) return ['array', ...value.map(sorted)];
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ['object', ...members.map(([name, member]) => [name, sorted(member)])];
}
