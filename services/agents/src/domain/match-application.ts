import { ApiError, notFound } from '@fairlead/errors/api-error';

/**
 * Finds the on-prem application named by `given`: its slug, or else a prefix of one slug. NOT_FOUND if there is none, AMBIGUOUS_APPLICATION
 * with the slugs if there are several.
 */
export function matchApplication(slugs: readonly string[], given: string): string {
  if (slugs.includes(given)) return given;
  const [first, ...others] = slugs.filter((slug) => slug.startsWith(given));
  if (first === undefined) throw notFound('application of on-prem agents', given);
  if (others.length === 0) return first;
  const candidates = [first, ...others];
  throw new ApiError(
    'AMBIGUOUS_APPLICATION',
    `${given} is the beginning of several applications of on-prem agents: ${candidates.join(', ')}. Send one of them.`,
    { candidates },
  );
}
