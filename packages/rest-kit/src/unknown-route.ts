import { ApiError } from '@fairlead/errors/api-error';
import leven from 'leven';
import type { Route } from './route.ts';

/** Maximum length and segments of a path that is compared with routes. */
const MAX_COMPARED_LENGTH = 100;
const MAX_COMPARED_SEGMENTS = 8;
/** Distance of a whole segment that is added or missing, in letters. */
const SEGMENT = 4;
/** Maximum distance of a mistyped path, in letters. */
const MAX_DISTANCE = 2 * SEGMENT;
/** A name may differ in one letter per this many letters. */
const LETTERS_PER_SLIP = 3;

/** The routes of one path. */
interface PathRoutes {
  readonly path: string;
  readonly segments: readonly string[];
  /** The names after the version. A path without a name similar to one of them means another route. */
  readonly names: readonly string[];
  readonly methods: readonly string[];
}

/** Creates the errors for unknown paths. */
type UnknownRoute = (request: { readonly method: string; readonly path: string }) => ApiError;

/**
 * NOT_FOUND for an unknown path. It names the most similar path, preferably one with the request's method, and never
 * the path as sent, which may contain a secret. `documentPath` is the address of the API's description.
 */
export function createUnknownRoute(
  routes: readonly Pick<Route, 'method' | 'path'>[],
  documentPath: string,
): UnknownRoute {
  const known = [...Map.groupBy(routes, (route) => route.path)].map(([path, group]): PathRoutes => {
    const segments = path.toLowerCase().split('/');
    const behindVersion = segments.slice(segments.indexOf('v1') + 1);
    return {
      path,
      segments,
      names: behindVersion.filter((segment) => segment !== '' && !segment.startsWith('{')),
      methods: group.map(({ method }) => method.toUpperCase()),
    };
  });
  return ({ method, path }) => {
    const near = nearPaths(path, known);
    const nearest = near.find(({ methods }) => methods.includes(method)) ?? near[0];
    const advice =
      nearest === undefined
        ? `GET ${documentPath} describes every route.`
        : `Did you mean ${nearest.methods.includes(method) ? method : nearest.methods.join(' or ')} ${nearest.path}?`;
    return new ApiError('NOT_FOUND', `The route does not exist. ${advice}`);
  };
}

/** The most similar path first. */
function nearPaths(path: string, known: readonly PathRoutes[]): readonly PathRoutes[] {
  const sent = path.toLowerCase().split('/');
  if (path.length > MAX_COMPARED_LENGTH || sent.length > MAX_COMPARED_SEGMENTS) return [];
  const letters = sent.map(letterDistances);
  const isLike = (name: string): boolean =>
    letters.some((distance) => distance(name) <= name.length / LETTERS_PER_SLIP);
  return known
    .filter(({ names }) => names.some(isLike))
    .map((candidate) => ({ candidate, distance: pathDistance(letters, candidate.segments) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate);
}

/** The distance between a sent segment and a route's. Cached, because routes share most of their segments. */
function letterDistances(text: string): (segment: string) => number {
  const distances = new Map<string, number>();
  return (segment) => {
    if (segment.startsWith('{') && text !== '') return 0;
    const distance = distances.get(segment) ?? leven(text, segment);
    distances.set(segment, distance);
    return distance;
  };
}

/** The number of different letters between two lists of segments, either of which may lack some. A parameter matches any text. */
function pathDistance(
  letters: readonly ((segment: string) => number)[],
  segments: readonly string[],
): number {
  // Levenshtein, row by row: the distances between the first segments of both lists.
  let above = [0, ...segments.map((_segment, index) => (index + 1) * SEGMENT)];
  for (const [row, distanceTo] of letters.entries()) {
    const distances = [(row + 1) * SEGMENT];
    for (const [index, segment] of segments.entries())
      distances.push(
        Math.min(
          (above[index] ?? 0) + distanceTo(segment),
          (above[index + 1] ?? 0) + SEGMENT,
          (distances[index] ?? 0) + SEGMENT,
        ),
      );
    above = distances;
  }
  return above.at(-1) ?? 0;
}
