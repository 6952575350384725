import { isJsonObject } from '../json.ts';
import type { Connector, HttpRequestTemplate, TriggerTypeDefinition } from '../model.ts';
import { placeholdersIn } from '../template.ts';
import { duplicates, under } from './problem.ts';
import type { Problem } from './problem.ts';
import type { SchemaCheck } from './schemas.ts';

/** The problems of the trigger types, individually and together. */
export function triggerTypeProblems(
  { triggerTypes }: Pick<Connector, 'triggerTypes'>,
  checkSchema: SchemaCheck,
): readonly Problem[] {
  const repeated = duplicates(triggerTypes.map(({ slug }) => slug)).map(({ index, value }) => ({
    path: [index, 'slug'],
    message: `'${value}' is the slug of another trigger type`,
  }));
  const schemas = triggerTypes.flatMap((type, index) =>
    (['configSchema', 'payloadSchema'] as const).flatMap((member) => {
      const message = checkSchema(type[member]);
      return message === undefined ? [] : [{ path: [index, member], message }];
    }),
  );
  const recipes = triggerTypes.flatMap((type, index) => recipeProblems(type).map(under([index])));
  return [...repeated, ...schemas, ...recipes].map(under(['triggerTypes']));
}

const MIN_PERIOD_SECONDS = 10;

/** Checks that the recipes fit the kind, and use the values that they get. */
function recipeProblems(type: TriggerTypeDefinition): readonly Problem[] {
  const { kind, requiresConnection, poll, webhook } = type;
  const problems: Problem[] = [];
  if ((kind === 'poll') !== (poll !== null)) {
    problems.push({ path: ['poll'], message: 'is required for the kind poll, and allowed for no other' });
  }
  if (kind === 'poll' && !requiresConnection) {
    problems.push({ path: ['requiresConnection'], message: 'must be true, because an application is asked' });
  }
  if ((kind === 'webhook' && requiresConnection) !== (webhook !== null)) {
    const message = 'is required for a webhook of an application, and allowed for no other';
    problems.push({ path: ['webhook'], message });
  }
  if (poll !== null) problems.push(...periodProblems(type));
  if (poll !== null && !('handler' in poll) && !usesCursor(poll.request))
    problems.push({ path: ['poll', 'request'], message: 'must use {{cursor.since}}' });
  if (webhook !== null) {
    problems.push(
      ...unused(webhook.register.request, 'register', ['url', 'secret']),
      ...unused(webhook.remove.request, 'remove', ['id']),
    );
  }
  return problems;
}

/** The poll period in seconds is a required setting of every poll. */
function periodProblems({ configSchema }: TriggerTypeDefinition): readonly Problem[] {
  const properties = configSchema['properties'];
  const period = isJsonObject(properties) ? properties['everySeconds'] : undefined;
  const isFit =
    isJsonObject(period) &&
    period['type'] === 'integer' &&
    Number(period['minimum']) >= MIN_PERIOD_SECONDS &&
    Number.isInteger(period['default']);
  if (isFit) return [];
  const message = `must have a property everySeconds: an integer of at least ${MIN_PERIOD_SECONDS} with a default`;
  return [{ path: ['configSchema'], message }];
}

/** In whatever unit. */
function usesCursor(request: HttpRequestTemplate): boolean {
  return placeholdersIn({ ...request }).some(({ root }) => root === 'cursor');
}

function unused(
  request: HttpRequestTemplate,
  member: 'register' | 'remove',
  names: readonly string[],
): readonly Problem[] {
  const used = placeholdersIn({ ...request }).filter(({ root }) => root === 'webhook');
  return names
    .filter((name) => !used.some((placeholder) => placeholder.name === name))
    .map((name) => ({ path: ['webhook', member, 'request'], message: `must use {{webhook.${name}}}` }));
}
