import { ApiError } from '@fairlead/errors/api-error';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { lostFixedField } from './policy.ts';
import type { NamedTool, ToolsetPolicy } from './policy.ts';
import { mayHaveEffects, namesOf } from './target.ts';
import type { Candidate, Connection } from './target.ts';
import type { ToolReference, Toolset } from './toolset.ts';

/** The candidates that a toolset permits; TOOL_NOT_IN_TOOLSET if it permits none. */
export function permittedTools(
  { tools, policy }: Pick<Toolset, 'tools' | 'policy'>,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const permitted = candidates.filter(
    (candidate) => tools === null || tools.some((reference) => refersTo(reference, candidate)),
  );
  if (permitted.length === 0) throw toolNotInToolset();
  if (policy?.readOnly !== true) return permitted;
  const reading = permitted.filter((candidate) => !mayHaveEffects(candidate));
  if (reading.length === 0)
    throw toolNotInToolset(
      'The toolset permits only tools of which the catalogue says that they change nothing.',
    );
  return reading;
}

/** Whether an entry of a toolset's list means the tool: the tool that had the slug when the list was saved. */
function refersTo({ applicationSlug, toolSlug, identity }: ToolReference, candidate: Candidate): boolean {
  if (applicationSlug !== candidate.applicationSlug) return false;
  const names = namesOf(candidate);
  if (identity !== undefined) return names.identities.includes(identity);
  return [names.toolSlug, ...names.aliases].includes(toolSlug);
}

/**
 * The connections of a toolset that a call without an explicit connection may use: per application the default, else the one with the
 * lowest id. Without an end user in the call, end users' connections count only if the account has none of its own in the toolset and all
 * belong to one end user: the customer is never guessed.
 */
export function connectionsOfToolset(found: readonly Connection[]): readonly Connection[] {
  const ofApplication = Map.groupBy(found, ({ applicationSlug }) => applicationSlug);
  return [...ofApplication.values()].flatMap((connections) => {
    const own = connections.filter(({ endUserId }) => endUserId === null);
    const endUsers = new Set(connections.map(({ endUserId }) => endUserId));
    if (own.length === 0 && endUsers.size > 1) return [];
    const usable = own.length === 0 ? connections : own;
    const [chosen] = usable.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault) || a.id - b.id);
    return chosen === undefined ? [] : [chosen];
  });
}

/**
 * Throws TOOL_NOT_IN_TOOLSET for a call that would not send a fixed input: the server has renamed the input, or a workflow has changed, so
 * the caller could choose the value. If a slug means tools of several platform applications, some of which never had the input, it is fixed
 * where it exists.
 */
export function requireFixedFields(
  policy: ToolsetPolicy | null,
  tool: NamedTool & { readonly isPlatform: boolean },
  fields: LazyObject,
): void {
  const lost = tool.isPlatform ? undefined : lostFixedField(policy, tool, fields);
  if (lost !== undefined)
    throw toolNotInToolset(
      `The policy of the toolset fixes the input ${lost}, which the tool does not have.`,
    );
}

/** The refusal of a tool that the toolset does not permit. */
export function toolNotInToolset(
  message = 'The toolset does not permit this tool. GET /v1/toolsets/{id}/tools lists those that it permits.',
): ApiError {
  return new ApiError('TOOL_NOT_IN_TOOLSET', `${message} It was not executed.`);
}
