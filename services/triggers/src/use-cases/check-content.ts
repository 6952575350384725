import { notFound, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { configurationIssues } from '../domain/configuration.ts';
import type { TriggerContent, TriggerType } from '../domain/trigger.ts';
import type { Destinations } from '../ports/destinations.ts';
import type { Filters } from '../ports/filters.ts';

export interface CheckContentDeps {
  readonly destinations: Destinations;
  readonly filters: Pick<Filters, 'syntaxIssue'>;
}

/**
 * Checks members of a trigger of this type: NOT_FOUND if a destination does not exist; VALIDATION_ERROR naming each member of the
 * configuration that violates the type's schema, and a filter that is not JSONata.
 */
export async function checkContent(
  { destinations, filters }: CheckContentDeps,
  ctx: RequestContext,
  type: TriggerType,
  { destinationIds = [], configuration, filter = null }: Partial<TriggerContent>,
): Promise<void> {
  if (destinationIds.length > 0) {
    const existing = await destinations.findExisting(ctx, destinationIds);
    if (existing.length < destinationIds.length) throw notFound('destination');
  }
  const issues: FieldIssue[] =
    configuration === undefined ? [] : [...configurationIssues(type, configuration)];
  const issue =
    filter === null
      ? undefined
      : await filters.syntaxIssue(filter, { accountId: accountOf(ctx), signal: ctx.signal });
  if (issue !== undefined) issues.push({ field: 'filter', issue: `is not JSONata: ${issue}` });
  if (issues.length > 0) throw validationError(...issues);
}
