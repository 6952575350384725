import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { foldPolicy, policyIssues } from './policy.ts';
import type { ToolsetPolicy } from './policy.ts';

/** A tool of one application. */
export interface ToolReference {
  readonly applicationSlug: string;
  /** The slug as it was sent. */
  readonly toolSlug: string;
  /** Identity of the tool that had the slug when it was saved; absent if saved before identities were stored. */
  readonly identity?: string;
}

/** The members of a toolset that users set. */
export interface ToolsetContent {
  readonly name: string;
  /** Empty: none. */
  readonly description: string;
  readonly connectionIds: readonly number[];
  /** Null: all tools of the connections' applications. */
  readonly tools: readonly ToolReference[] | null;
  readonly workflowTokens: readonly string[];
  readonly policy: ToolsetPolicy | null;
}

/** A group of connections and permitted tools. Named connections, tools and workflows may no longer exist. */
export interface Toolset extends ToolsetContent {
  /** A GUID. */
  readonly id: string;
  /** Incremented by each change that affects the policy's bindings; initially 0. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A toolset as a list holds it. */
export type ToolsetView = Omit<Toolset, 'policy'> & { readonly policy: ToolsetPolicy<LazyJson> | null };

/** The members to change; an absent one keeps its value, a list replaces the former list. */
export type ToolsetChange = Partial<ToolsetContent>;

/** Whether the change affects the policy's bindings, so that it may only be applied to the revision for which they were computed. */
export function affectsBindings({ connectionIds, workflowTokens, policy }: ToolsetChange): boolean {
  return connectionIds !== undefined || workflowTokens !== undefined || policy !== undefined;
}

const NAME_MAX_CHARACTERS = 200;
const DESCRIPTION_MAX_CHARACTERS = 2_000;

/** Slug of the application whose tools are the workflows. */
export const WORKFLOW_APPLICATION = 'workflow';

/** Maximum number of toolsets per account. Source: row completion.toolsets-and-workflows.58. */
export const MAX_TOOLSETS = 1_000;

/** Maximum number of connections, tools and workflows per toolset. */
const TOOLSET_LIMITS = { connections: 500, tools: 1_000, workflows: 100 } as const;

/**
 * The members without duplicates in lists, in order. VALIDATION_ERROR naming every invalid member. Sources: rows
 * completion.toolsets-and-workflows.15 to 18.
 */
export function checkToolset<C extends ToolsetChange>(content: C): C {
  const issues = [...textIssues(content), ...listIssues(content)];
  if (content.policy) issues.push(...policyIssues(content.policy));
  if (issues.length > 0) throw validationError(...issues);
  const { connectionIds, tools, workflowTokens, policy } = content;
  return {
    ...content,
    ...(connectionIds && { connectionIds: [...new Set(connectionIds)] }),
    ...(tools && { tools: distinctTools(tools) }),
    ...(workflowTokens && { workflowTokens: [...new Set(workflowTokens)] }),
    ...(policy && { policy: foldPolicy(policy) }),
  };
}

function textIssues({ name, description = '' }: ToolsetChange): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (name !== undefined) {
    const length = Array.from(name).length;
    if (length < 1 || length > NAME_MAX_CHARACTERS)
      issues.push({ field: 'name', issue: `must have 1 to ${NAME_MAX_CHARACTERS} characters` });
  }
  if (Array.from(description).length > DESCRIPTION_MAX_CHARACTERS)
    issues.push({
      field: 'description',
      issue: `must have at most ${DESCRIPTION_MAX_CHARACTERS} characters`,
    });
  return issues;
}

function listIssues({ connectionIds = [], tools, workflowTokens = [] }: ToolsetChange): FieldIssue[] {
  const tooLong = (field: keyof typeof TOOLSET_LIMITS, length: number): FieldIssue[] =>
    length > TOOLSET_LIMITS[field]
      ? [{ field, issue: `must have at most ${TOOLSET_LIMITS[field]} items` }]
      : [];
  return [
    ...tooLong('connections', connectionIds.length),
    ...tooLong('tools', tools?.length ?? 0),
    ...tooLong('workflows', workflowTokens.length),
    ...connectionIds.flatMap((id, index) =>
      Number.isInteger(id) && id >= 1
        ? []
        : [{ field: `connections[${index}].connectionId`, issue: 'must be an integer of 1 or more' }],
    ),
  ];
}

function distinctTools(tools: readonly ToolReference[]): readonly ToolReference[] {
  const distinct = new Map(
    tools.map(({ applicationSlug, toolSlug }) => [
      JSON.stringify([applicationSlug, toolSlug]),
      { applicationSlug, toolSlug },
    ]),
  );
  return [...distinct.values()];
}
