import type { Connector } from '../model.ts';
import { duplicates, under } from './problem.ts';
import type { Problem } from './problem.ts';
import type { SchemaCheck } from './schemas.ts';

/** The problems of the trigger types, each and together. */
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
  return [...repeated, ...schemas].map(under(['triggerTypes']));
}
