import type { RequestContext } from '@fairlead/service-kit/context/context';
import { boundPolicy, toolsOfPolicy } from '../../domain/policy.ts';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { WorkflowTool } from '../../ports/workflows-of-toolset.ts';
import type { FindCandidatesDeps } from '../executions/find-candidates.ts';
import { findPolicyTools } from './find-policy-tools.ts';

/**
 * The saved policy, with its slugs also bound to tools of these applications and to these workflows, which were added to the toolset since.
 * A policy without bindings stays so: its slugs mean every tool that has them.
 */
export async function widenPolicy(
  deps: FindCandidatesDeps,
  ctx: RequestContext,
  policy: ToolsetPolicy,
  added: { readonly applicationSlugs: ReadonlySet<string>; readonly workflows: readonly WorkflowTool[] },
): Promise<ToolsetPolicy> {
  if (policy.bindings === undefined || added.applicationSlugs.size + added.workflows.length === 0)
    return policy;
  const named = await findPolicyTools(
    deps,
    ctx,
    toolsOfPolicy(policy),
    added.workflows,
    added.applicationSlugs,
  );
  return boundPolicy(policy, named, policy);
}
