import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { BoundCall } from '../../domain/approval.ts';
import { versionedTool } from '../../domain/target.ts';
import type { Connection } from '../../domain/target.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { Workflow } from '../../domain/workflow.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import { findCandidates } from '../executions/find-candidates.ts';

/** A workflow in its current environment. */
export interface BoundWorkflow extends BoundCall {
  /** The tools that each step may call, as versionedTool names them. */
  readonly stepTools: readonly (readonly string[])[];
}

/** The ports of bindWorkflow. */
export interface BindWorkflowDeps {
  readonly catalog: Catalog;
  readonly connections: Pick<Connections, 'findConnections'>;
}

/**
 * Finds everything that determines the effect of a workflow's steps in a toolset: its connections, the tools that the steps may call with
 * them, and the policy. NOT_FOUND if a step has no tool.
 */
export async function bindWorkflow(
  deps: BindWorkflowDeps,
  ctx: RequestContext,
  { workflow, toolset }: { readonly workflow: Workflow; readonly toolset: Toolset },
): Promise<BoundWorkflow> {
  const { connectionIds: ids, tools, policy } = toolset;
  const found = await deps.connections.findConnections(ctx, { ids, withRevisions: true });
  const applications = new Set(found.map(({ applicationSlug }) => applicationSlug));
  const steps = await Promise.all(
    workflow.steps.map(async ({ id, toolSlug, applicationSlug }) => {
      const candidates = await findCandidates(deps, ctx, toolSlug, applicationSlug);
      const usable = candidates.filter((candidate) => applications.has(candidate.applicationSlug));
      if (usable.length === 0) throw noTool(id, toolSlug);
      return usable;
    }),
  );
  const stepTools = steps.map((candidates) => candidates.map(versionedTool).toSorted());
  const slugs = new Set(steps.flat().map(({ applicationSlug }) => applicationSlug));
  const connections = await Promise.all(
    found.map(async (connection) => ({
      ...connection,
      baseUrl: slugs.has(connection.applicationSlug) ? await baseUrlOf(deps, ctx, connection) : null,
    })),
  );
  const present = new Map(connections.map((connection) => [connection.id, connection]));
  return {
    connections: ids.map((id) => {
      const {
        credentialRevision: revision = null,
        isDefault = false,
        baseUrl = null,
      } = present.get(id) ?? {};
      return { id, revision, isDefault, baseUrl };
    }),
    steps: JSON.stringify([
      stepTools,
      tools,
      policy && [policy.readOnly, policy.fixedFields, policy.bindings],
    ]),
    stepTools,
  };
}

/** Refused: a server could add the tool after the approval, unseen. */
function noTool(stepId: string, toolSlug: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `Step ${stepId} calls ${toolSlug}, which no connection of the toolset has, so the workflow cannot be approved. Nothing was executed.`,
  );
}

/** Base address of an application with a connection, from its connector; null: none. */
async function baseUrlOf(
  { catalog }: BindWorkflowDeps,
  ctx: RequestContext,
  { applicationSlug, authenticationId }: Connection,
): Promise<string | null> {
  const connector = await catalog.getConnector(ctx, applicationSlug);
  const method = connector.authenticationMethods.find((it) => it.authenticationId === authenticationId);
  return method?.baseUrl ?? connector.baseUrl;
}
