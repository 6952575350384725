import { ApiError, notFound } from '@fairlead/errors/api-error';

/**
 * Finds the on-prem application named by `name`: its slug, or else a prefix of one slug. NOT_FOUND if there is none, AMBIGUOUS_APPLICATION
 * with the slugs if there are several.
 */
export function matchApplication(slugs: readonly string[], name: string): string {
  if (slugs.includes(name)) return name;
  const [first, ...others] = slugs.filter((slug) => slug.startsWith(name));
  if (first === undefined) throw notFound('application of on-prem agents', name);
  if (others.length === 0) return first;
  const candidates = [first, ...others];
  throw new ApiError(
    'AMBIGUOUS_APPLICATION',
    `${name} is the beginning of several applications of on-prem agents: ${candidates.join(', ')}. Send one of them.`,
    { candidates },
  );
}
