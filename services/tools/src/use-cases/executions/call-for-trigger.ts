import type { JsonObject } from '@fairlead/connector-model/json';
import { triggerTool } from '@fairlead/connector-runtime/triggers/trigger-tool';
import type { TriggerExecution } from '@fairlead/connector-runtime/triggers/trigger-tool';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { endOfCall } from '../../domain/call-time.ts';
import type { Outcome } from '../../domain/execution.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { TriggerType, TriggerTypes } from '../../ports/catalog.ts';
import { callUnrecorded } from './call-unrecorded.ts';
import type { CallUnrecordedDeps } from './call-unrecorded.ts';

export interface CallForTriggerDeps extends CallUnrecordedDeps {
  readonly catalog: CallUnrecordedDeps['catalog'] & TriggerTypes;
  /** Longest duration of one call, including the wait for a permit. */
  readonly timeoutMs: number;
}

/** The trigger for which an application is called. */
export interface TriggerCall {
  readonly triggerTypeSlug: string;
  readonly connectionId: number;
  readonly configuration: JsonObject;
}

/**
 * Calls a connection's application for a trigger; `what` creates the call from the trigger's type. Records no execution, but has the limits
 * of one. Throws NOT_FOUND, WRONG_APPLICATION, CONNECTION_BLOCKED and RATE_LIMIT_EXCEEDED, with nothing sent. `secrets` are masked in the
 * outcome, in addition to the connection's.
 */
export async function callForTrigger(
  deps: CallForTriggerDeps,
  ctx: RequestContext,
  { triggerTypeSlug, connectionId, configuration }: TriggerCall,
  what: (type: TriggerType) => TriggerExecution,
  secrets: readonly string[] = [],
): Promise<Outcome> {
  const until = endOfCall(ctx.deadline, deps.timeoutMs, Date.now());
  const type = await deps.catalog.resolveTriggerType(ctx, triggerTypeSlug);
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  const { applicationSlug } = connection;
  if (applicationSlug !== type.applicationSlug) throw wrongApplication(connectionId, applicationSlug, type);
  const tool = triggerTool(type, what(type));
  const { outcome } = await callUnrecorded(deps, ctx, { connection, tool, fields: configuration }, until);
  return outcome.isSuccess
    ? outcome
    : { isSuccess: false, errorMessage: createMasker(secrets).text(outcome.errorMessage) };
}

function wrongApplication(connectionId: number, applicationSlug: string, type: TriggerType): ApiError {
  return new ApiError(
    'WRONG_APPLICATION',
    `Connection ${connectionId} belongs to the application ${applicationSlug}, but the trigger type belongs to ${type.applicationSlug}.`,
  );
}
