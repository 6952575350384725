import type { JsonObject } from '@fairlead/connector-model/json';
import { validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { possibleInputs } from '../../domain/known-fields.ts';
import { boundPolicy, boundTo, toolsOfPolicy } from '../../domain/policy.ts';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { WorkflowTool } from '../../ports/workflows-of-toolset.ts';
import { refuseUnknownTool } from '../executions/refuse-unknown-tool.ts';
import type { FindCandidatesDeps } from '../executions/find-candidates.ts';
import { findPolicyTools } from './find-policy-tools.ts';
import type { PolicyTool } from './find-policy-tools.ts';

/** Maximum number of tools of one slug whose schemas are examined, because that takes time. */
const MAX_ASKED = 20;
/** Maximum number of issues in an error. */
const MAX_ISSUES = 100;

/**
 * Binds the policy to the tools that its slugs mean now, `workflows` included, and to those bound in `former`. NOT_FOUND for a slug without
 * tools, VALIDATION_ERROR for a fixed input that none of the slug's tools has.
 */
export async function bindPolicy(
  deps: FindCandidatesDeps,
  ctx: RequestContext,
  policy: ToolsetPolicy,
  {
    workflows,
    former,
  }: { readonly workflows: readonly WorkflowTool[]; readonly former: ToolsetPolicy | null },
): Promise<ToolsetPolicy> {
  const named = await findPolicyTools(deps, ctx, toolsOfPolicy(policy), workflows);
  for (const [slug, tools] of named)
    if (tools.length === 0 && boundTo(former, slug).length === 0)
      await refuseUnknownTool(deps, ctx, slug, '');
  const issues = fixedFieldIssues(policy, named, former);
  if (issues.length > 0) throw validationError(...issues);
  return boundPolicy(policy, named, former);
}

/** Refused, because a misspelt name would fix nothing. Names fixed by the former policy may be sent again, even if the tool has changed. */
function fixedFieldIssues(
  { fixedFields }: ToolsetPolicy,
  named: ReadonlyMap<string, readonly PolicyTool[]>,
  former: ToolsetPolicy | null,
): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const [slug, fields] of Object.entries(fixedFields)) {
    const tools = named.get(slug) ?? [];
    if (tools.length === 0 || tools.length > MAX_ASKED) continue;
    const fixed = formerlyFixed(former, slug);
    let unknown = Object.keys(fields).filter((name) => !Object.hasOwn(fixed, name));
    for (const { inputSchema } of tools) {
      if (unknown.length === 0) break;
      const isInput = possibleInputs(inputSchema);
      unknown = unknown.filter((name) => !isInput(name));
    }
    for (const name of unknown)
      issues.push({ field: `policy.fixedFields.${slug}.${name}`, issue: 'is not an input of the tool' });
  }
  return issues.slice(0, MAX_ISSUES);
}

function formerlyFixed(former: ToolsetPolicy | null, slug: string): JsonObject {
  if (former === null || boundTo(former, slug).length === 0) return {};
  return Object.hasOwn(former.fixedFields, slug) ? (former.fixedFields[slug] ?? {}) : {};
}
