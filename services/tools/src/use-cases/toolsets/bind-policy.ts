import type { JsonObject } from '@fairlead/connector-model/model';
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

/** How many tools of one slug are asked whether they have an input: reading a schema takes time. */
const MAX_ASKED = 20;
/** How many issues an error names. */
const MAX_ISSUES = 100;

/**
 * The policy, bound to the tools that its slugs name now, those of `workflows` among them, and to those that they are bound to in `former`.
 * NOT_FOUND for a slug that names none, VALIDATION_ERROR for a fixed input that no tool of its slug has.
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

/** A misspelt name would fix nothing. Names that the former policy fixed may be sent again, whatever the tool has become. */
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
