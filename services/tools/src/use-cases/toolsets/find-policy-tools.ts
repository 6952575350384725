import type { JsonObject } from '@fairlead/connector-model/json';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { NamedTool } from '../../domain/policy.ts';
import { namesOf } from '../../domain/target.ts';
import type { WorkflowTool } from '../../ports/workflows-of-toolset.ts';
import { findCandidates } from '../executions/find-candidates.ts';
import type { FindCandidatesDeps } from '../executions/find-candidates.ts';

/** A tool that a policy's slug means. */
export interface PolicyTool extends NamedTool {
  readonly inputSchema: JsonObject;
}

/** By slug, the workflows and catalogue tools that have or had it; in all applications, or in the given ones. */
export async function findPolicyTools(
  deps: FindCandidatesDeps,
  ctx: RequestContext,
  slugs: readonly string[],
  workflows: readonly WorkflowTool[],
  applicationSlugs?: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly PolicyTool[]>> {
  const named = slugs.map(async (slug): Promise<[string, readonly PolicyTool[]]> => {
    const candidates = applicationSlugs?.size === 0 ? [] : await findCandidates(deps, ctx, slug, '');
    const tools = candidates
      .filter(({ applicationSlug }) => applicationSlugs?.has(applicationSlug) ?? true)
      .map((tool) => ({ ...namesOf(tool), inputSchema: tool.definition.inputSchema }));
    const members = workflows
      .map(({ tool }) => tool)
      .filter(({ toolSlug, aliases }) => toolSlug === slug || aliases.includes(slug))
      .map((tool) => ({ ...tool, inputSchema: tool.inputSchema.parseObject() }));
    return [slug, [...members, ...tools]];
  });
  return new Map(await Promise.all(named));
}
