import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ClientCaller } from '@fairlead/service-kit/context/caller';
import { confinementOf, userIdOf } from '@fairlead/service-kit/context/context';
import type { CallOrigin } from './call-origin.ts';
import type { ExecutionInfo } from './execution.ts';
import { WORKFLOW_APPLICATION } from './workflow.ts';
import type { Workflow, WorkflowStep } from './workflow.ts';

/** Limits of a run. Sources: rows completion.toolsets-and-workflows.44 and 45, docs/limits.md. */
export const RUN_LIMITS = {
  runMs: 5 * 60_000,
  items: 1_000,
  tries: 3,
  inputBytes: 1024 * 1024,
  /** Total size of all steps' answers. */
  resultBytes: 4 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  /**
   * Like `outputBytes`, for an MCP client, which gets a file instead of a larger output; room for all answers, and for the JSON around
   * them.
   */
  filedOutputBytes: 5 * 1024 * 1024,
} as const;

/** Duration of a lease on a run, in milliseconds. */
export const RUN_LEASE_MS = 15_000;

/** The answer of a step, as expressions of later steps see it. */
export interface StepResult {
  readonly isSuccess: boolean;
  /** Null if it failed; for a step with `forEach` an array, in the order of the items. */
  readonly output: Json;
  readonly errorMessage: string | null;
}

/** The part of a run that does not change while it runs. */
export interface RunHead {
  readonly runId: string;
  /** Id of the run's own history row. */
  readonly historyId: number;
  readonly accountId: string;
  /** The caller; the steps run with the same permissions. */
  readonly caller: ClientCaller;
  readonly origin: CallOrigin;
  readonly requestId: string;
  /** The toolset to which its steps are restricted; absent: none. */
  readonly toolsetId?: string;
  readonly endUserId?: string;
  /** The workflow as it was when the run began. */
  readonly workflow: Pick<Workflow, 'slug' | 'revision' | 'steps' | 'output'>;
  /** Stored with flagged secrets masked. */
  readonly input: JsonObject;
  readonly maskedInput: JsonObject;
  /** Whether the schema flags secrets in it; then a run that is read from the database cannot continue. */
  readonly hasSecretInput: boolean;
  /** In an approved run: the tools that each step may call, as versionedTool names them. Absent: any, subject to the policy. */
  readonly approvedTools?: readonly (readonly string[])[] | undefined;
  readonly startedAt: Date;
}

export interface RunProgress {
  /** Index of the current or next step. */
  readonly step: number;
  /** Results by id of the ended steps; skipped ones are absent. */
  readonly results: Readonly<Record<string, StepResult>>;
  /** The items of the current step if it has `forEach`, otherwise null. */
  readonly items: readonly Json[] | null;
  /** Answers for the first of these items. */
  readonly itemResults: readonly StepResult[];
  /** A started call whose result is not stored; null: none. */
  readonly call: { readonly isRepeatable: boolean } | null;
  /** Connections used by calls. */
  readonly connectionIds: readonly number[];
  /** Number of requests to vendors. */
  readonly attempts: number;
}

/** The initial progress. */
export const NEW_PROGRESS: RunProgress = {
  step: 0,
  results: {},
  items: null,
  itemResults: [],
  call: null,
  connectionIds: [],
  attempts: 0,
};

/** A change of the progress, stored before and after each call. */
export type RunChange =
  | { readonly kind: 'items'; readonly step: number; readonly items: readonly Json[] }
  | { readonly kind: 'call'; readonly step: number; readonly call: { readonly isRepeatable: boolean } }
  | {
      readonly kind: 'itemEnd';
      readonly result: StepResult;
      readonly connectionIds: readonly number[];
      readonly attempts: number;
    }
  | {
      readonly kind: 'stepEnd';
      readonly step: number;
      readonly results: Readonly<Record<string, StepResult>>;
      readonly connectionIds: readonly number[];
      readonly attempts: number;
    };

/** The progress after a change. */
export function advanced(progress: RunProgress, change: RunChange): RunProgress {
  switch (change.kind) {
    case 'items':
      return { ...progress, step: change.step, items: change.items, itemResults: [], call: null };
    case 'call':
      return { ...progress, step: change.step, call: change.call };
    case 'itemEnd': {
      const { result, connectionIds, attempts } = change;
      const itemResults = [...progress.itemResults, result];
      return { ...progress, itemResults, call: null, connectionIds, attempts };
    }
    case 'stepEnd': {
      const { step, results, connectionIds, attempts } = change;
      return { step, results, items: null, itemResults: [], call: null, connectionIds, attempts };
    }
  }
}

/** The answer of a failed step. */
export function failure(errorMessage: string): StepResult {
  return { isSuccess: false, output: null, errorMessage };
}

/** The message about the failed step if the run must end because of it; undefined: the run continues. */
export function stoppedBy(
  steps: readonly WorkflowStep[],
  results: Readonly<Record<string, StepResult>>,
): string | undefined {
  for (const { id, onError } of steps) {
    const result = Object.hasOwn(results, id) ? results[id] : undefined;
    if (result && !result.isSuccess && onError !== 'continue')
      return `Step "${id}" failed: ${result.errorMessage ?? ''}`;
  }
  return undefined;
}

/** Why an interrupted run cannot continue; undefined if it can. */
export function refusalToResume(
  { workflow, hasSecretInput, startedAt }: RunHead,
  { step, call }: RunProgress,
  now: Date,
): string | undefined {
  const id = workflow.steps[step]?.id;
  const place = id === undefined ? 'after its last step' : `before step "${id}" ended`;
  if (call !== null && !call.isRepeatable)
    return (
      `The run was interrupted during step "${id ?? ''}", whose tool is not idempotent: whether that call took effect is unknown. ` +
      'It was not made again, and the run does not go on. See the history for the calls that were made.'
    );
  if (hasSecretInput)
    return `The run was interrupted ${place}. Its inputs hold secrets, which are not stored, so that it cannot go on.`;
  if (now.getTime() - startedAt.getTime() >= RUN_LIMITS.runMs)
    return `The run was interrupted ${place}, and ${tooLong()}`;
  return undefined;
}

/** The message for a run that takes too long. */
export function tooLong(): string {
  return `a run may take ${RUN_LIMITS.runMs / 60_000} minutes.`;
}

/** The items of `forEach`: a list as it is, nothing as an empty list, any other value as a single item (JSONata unwraps lists of one). */
export function itemsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isJsonArray(value) ? value : [value];
}

/** The result of a step with `forEach`; a failed item's output is `null`. */
export function combined(itemResults: readonly StepResult[]): StepResult {
  const failed = itemResults.findIndex(({ isSuccess }) => !isSuccess);
  return {
    isSuccess: failed === -1,
    output: itemResults.map(({ output }) => output),
    errorMessage: failed === -1 ? null : `Item ${failed}: ${itemResults[failed]?.errorMessage ?? ''}`,
  };
}

/** Whether a condition holds, as JSONata's `$boolean` casts values. */
export function holds(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (isJsonArray(value)) return value.some(holds);
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The object that expressions can read. */
export function contextOf(
  input: JsonObject,
  results: Readonly<Record<string, StepResult>>,
  item: Json | undefined,
): JsonObject {
  const steps = {};
  for (const [id, { isSuccess, output, errorMessage }] of Object.entries(results))
    setMember(steps, id, { isSuccess, output, errorMessage });
  return { input, steps, ...(item !== undefined && { item }) };
}

/** The output of a run: tools' outputs are objects, so any other value is wrapped in one. */
export function runOutput(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === undefined || value === null ? {} : { value };
}

/** The output of a workflow without an `output`: the outputs of its steps, by id. */
export function outputsById(results: Readonly<Record<string, StepResult>>): JsonObject {
  const outputs = {};
  for (const [id, { output }] of Object.entries(results)) setMember(outputs, id, output);
  return outputs;
}

/** Facts about how a run ran, up to `now`. */
export function runInfo(
  { startedAt, workflow, caller, origin }: Pick<RunHead, 'startedAt' | 'workflow' | 'caller' | 'origin'>,
  attempts: number,
  now: Date,
): ExecutionInfo {
  const confinement = confinementOf({ caller });
  return {
    startedAt,
    durationMs: Math.max(0, now.getTime() - startedAt.getTime()),
    connectionId: null,
    connectionResolution: 'none',
    applicationSlug: WORKFLOW_APPLICATION,
    toolSlug: workflow.slug,
    toolVersion: String(workflow.revision),
    attempts,
    userId: userIdOf({ caller }),
    ...origin,
    ...(confinement && { keyId: confinement.keyId }),
  };
}

/** Thrown when this process must stop working on a run. */
export class RunLeftError extends Error {
  override readonly name = 'RunLeftError';
  /** `lost`: another process has the run. `stopping`: this process is stopping, and has to release it. */
  readonly reason: 'lost' | 'stopping';

  constructor(reason: 'lost' | 'stopping') {
    super(`A run was left: ${reason}.`);
    this.reason = reason;
  }
}

/** The secrets of a run: its secret inputs, and those of all connections that its steps have used. */
export interface RunSecrets {
  /** Secrets to mask in all later outputs of the run. */
  readonly known: string[];
  /** Connections whose secrets could not be read yet. */
  readonly missing: Set<number>;
}
