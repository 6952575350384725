import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { foldPolicy, policyIssues } from './policy.ts';
import type { ToolsetPolicy } from './policy.ts';

/** One tool of one application. */
export interface ToolReference {
  readonly applicationSlug: string;
  /** As it was sent. */
  readonly toolSlug: string;
  /** The identity of the tool that the slug named when it was saved; absent if it was saved before these were kept. */
  readonly identity?: string;
}

/** The members of a toolset that people write. */
export interface ToolsetContent {
  readonly name: string;
  /** Empty: none. */
  readonly description: string;
  readonly connectionIds: readonly number[];
  /** Null: every tool of the connections' applications. */
  readonly tools: readonly ToolReference[] | null;
  readonly workflowTokens: readonly string[];
  readonly policy: ToolsetPolicy | null;
}

/** A group of connections and permitted tools. The connections, tools and workflows that it names may be gone. */
export interface Toolset extends ToolsetContent {
  /** A GUID. */
  readonly id: string;
  /** One more with each change of members that the policy's bindings depend on; 0 at first. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A toolset as a list holds it. */
export type ListedToolset = Omit<Toolset, 'policy'> & { readonly policy: ToolsetPolicy<LazyJson> | null };

/** The members to change; an absent one keeps its value, a list replaces the former one. */
export type ToolsetChange = Partial<ToolsetContent>;

/** Whether the policy's bindings depend on the change, so that it may only be made to the toolset that they were found for. */
export function affectsBindings({ connectionIds, workflowTokens, policy }: ToolsetChange): boolean {
  return connectionIds !== undefined || workflowTokens !== undefined || policy !== undefined;
}

const NAME_MAX_CHARACTERS = 200;
const DESCRIPTION_MAX_CHARACTERS = 2_000;

/** The application of the tools that workflows are run as. */
export const WORKFLOW_APPLICATION = 'workflow';

/** Toolsets of an account. Source: row completion.toolsets-and-workflows.58. */
export const MAX_TOOLSETS = 1_000;

/** How many connections, tools and workflows a toolset may name. */
const TOOLSET_LIMITS = { connections: 500, tools: 1_000, workflows: 100 } as const;

/**
 * The members, each item of a list once, in order. VALIDATION_ERROR naming every member that is out of bounds. Sources:
 * rows completion.toolsets-and-workflows.15 to 18.
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
