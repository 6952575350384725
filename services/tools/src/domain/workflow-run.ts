import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { ClientCaller } from '@fairlead/service-kit/context/caller';
import { confinementOf, userIdOf } from '@fairlead/service-kit/context/context';
import type { CallOrigin } from './call-origin.ts';
import type { ExecutionInfo } from './execution.ts';
import { WORKFLOW_APPLICATION } from './workflow.ts';
import type { Workflow, WorkflowStep } from './workflow.ts';

/** The bounds of a run. Sources: rows completion.toolsets-and-workflows.44 and 45, docs/limits.md. */
export const RUN_LIMITS = {
  runMs: 5 * 60_000,
  items: 1_000,
  tries: 3,
  inputBytes: 1024 * 1024,
  /** The answers of all steps together. */
  resultBytes: 4 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  /** The same for an MCP client, who gets a file in place of more than `outputBytes`: all answers, and the JSON around them. */
  filedOutputBytes: 5 * 1024 * 1024,
} as const;

/** How long a process may work on a run after it took or renewed its lease, in milliseconds. */
export const RUN_LEASE_MS = 15_000;

/** The answer of a step, as the expressions of later steps see it. */
export interface StepResult {
  readonly isSuccess: boolean;
  /** Null if it failed; an array, in the order of the items, if it ran for each of them. */
  readonly output: Json;
  readonly errorMessage: string | null;
}

/** The part of a run that stays the same while it runs. */
export interface RunHead {
  readonly runId: string;
  /** The run's own row of the history. */
  readonly historyId: number;
  readonly accountId: string;
  /** Who called; its steps run with the same rights. */
  readonly caller: ClientCaller;
  readonly origin: CallOrigin;
  readonly requestId: string;
  /** The toolset that its steps are confined to; absent: none. */
  readonly toolsetId?: string;
  readonly endUserId?: string;
  /** As it was when the run began. */
  readonly workflow: Pick<Workflow, 'slug' | 'revision' | 'steps' | 'output'>;
  /** Stored with what its schema flags as secret masked. */
  readonly input: JsonObject;
  /** The same, masked. */
  readonly maskedInput: JsonObject;
  /** Whether the schema flags a part of it, so that a run that was read again cannot go on. */
  readonly hasSecretInput: boolean;
  /** The tools, as versionedTool names them, that each step may call, in an approved run. Absent: any, by the policy. */
  readonly approvedTools?: readonly (readonly string[])[] | undefined;
  readonly startedAt: Date;
}

/** How far a run has come. */
export interface RunProgress {
  /** The index of the step that is next, or under way. */
  readonly step: number;
  /** By the ids of the steps that have ended; those that were skipped are absent. */
  readonly results: Readonly<Record<string, StepResult>>;
  /** The items of the step that is under way, if it runs for each of some; otherwise null. */
  readonly items: readonly Json[] | null;
  /** The answers of its calls for the first items. */
  readonly itemResults: readonly StepResult[];
  /** A call that has begun, and whose result is not stored; null: none. */
  readonly call: { readonly isRepeatable: boolean } | null;
  /** The connections that calls have used. */
  readonly connectionIds: readonly number[];
  /** Calls sent to vendors. */
  readonly attempts: number;
}

/** A run that has just begun. */
export const NEW_PROGRESS: RunProgress = {
  step: 0,
  results: {},
  items: null,
  itemResults: [],
  call: null,
  connectionIds: [],
  attempts: 0,
};

/** A change of the progress, written before and after each call. */
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

/** A failed step. */
export function failure(errorMessage: string): StepResult {
  return { isSuccess: false, output: null, errorMessage };
}

/** Why a run ends now: the message about the step that failed, if it may not be passed over; undefined: it goes on. */
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

/** Why a run that was interrupted does not go on, or undefined if it does. */
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

/** The message about a run that takes too long. */
export function tooLong(): string {
  return `a run may take ${RUN_LIMITS.runMs / 60_000} minutes.`;
}

/** The items of `forEach`: a list as it is, nothing as none, anything else as the only one (JSONata drops the list around one). */
export function itemsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isJsonArray(value) ? value : [value];
}

/** The result of a step that ran for each of some items; `null` stands for the output of a failed one. */
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

/** The object that expressions read. */
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

/** The output of a run: outputs of tools are objects, so any other value is wrapped in one. */
export function runOutput(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === undefined || value === null ? {} : { value };
}

/** The output of a workflow that declares none: those of its steps, by their ids. */
export function outputsById(results: Readonly<Record<string, StepResult>>): JsonObject {
  const outputs = {};
  for (const [id, { output }] of Object.entries(results)) setMember(outputs, id, output);
  return outputs;
}

/** How a run ran, as of `now`. */
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

/** Thrown when this process leaves a run to another one. */
export class RunLeftError extends Error {
  override readonly name = 'RunLeftError';
  /** `lost`: another process has it; `stopping`: this one stops, and has to release it. */
  readonly reason: 'lost' | 'stopping';

  constructor(reason: 'lost' | 'stopping') {
    super(`A run was left: ${reason}.`);
    this.reason = reason;
  }
}

/** The secrets of a run: its secret inputs, and those of every connection that its steps have used. */
export interface RunSecrets {
  /** They are masked in everything that later steps and the run itself show. */
  readonly known: string[];
  /** Connections whose secrets could not be read yet. */
  readonly missing: Set<number>;
}
