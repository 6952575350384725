import { ApiError } from '@fairlead/errors/api-error';
import leven from 'leven';
import type { Route } from './route.ts';

/** Longer paths, and those of more segments, are compared with no route. */
const MAX_COMPARED_LENGTH = 100;
const MAX_COMPARED_SEGMENTS = 8;
/** More letters that differ are no slip. */
const MAX_DISTANCE = 8;

/** The routes of one path. */
interface KnownPath {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: readonly string[];
}

/** Makes the errors for paths that no route has. */
type UnknownRoute = (request: { readonly method: string; readonly path: string }) => ApiError;

/**
 * NOT_FOUND for a path that no route has. It names the nearest one, of those with the request's method if one of them is near, and
 * never the path as sent, which may hold a secret. `documentPath` is the address of the API's description.
 */
export function createUnknownRoute(
  routes: readonly Pick<Route, 'method' | 'path'>[],
  documentPath: string,
): UnknownRoute {
  const known = [...Map.groupBy(routes, (route) => route.path)].map(([path, group]): KnownPath => ({
    path,
    segments: path.toLowerCase().split('/'),
    methods: group.map(({ method }) => method.toUpperCase()),
  }));
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

/** The nearest first. */
function nearPaths(path: string, known: readonly KnownPath[]): readonly KnownPath[] {
  const sent = path.toLowerCase().split('/');
  if (path.length > MAX_COMPARED_LENGTH || sent.length > MAX_COMPARED_SEGMENTS) return [];
  const limit = Math.min(MAX_DISTANCE, Math.floor(path.length / 2));
  const letters = sent.map(letterDistances);
  return known
    .map((candidate) => ({ candidate, distance: pathDistance(sent, letters, candidate.segments) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate);
}

/** The distance of a sent segment from one of a route. Routes share most of their segments, so that each is compared once. */
function letterDistances(text: string): (segment: string) => number {
  const distances = new Map<string, number>();
  return (segment) => {
    if (segment.startsWith('{') && text !== '') return 0;
    const distance = distances.get(segment) ?? leven(text, segment);
    distances.set(segment, distance);
    return distance;
  };
}

/** Letters that differ between two lists of segments, of which either may lack some. Any text is a value of a parameter. */
function pathDistance(
  sent: readonly string[],
  letters: readonly ((segment: string) => number)[],
  segments: readonly string[],
): number {
  // Row by row, the distances between the first segments of one and of the other.
  let above = [0];
  for (const segment of segments) above.push((above.at(-1) ?? 0) + weightOf(segment));
  for (const [row, text] of sent.entries()) {
    const distances = [(above[0] ?? 0) + weightOf(text)];
    for (const [index, segment] of segments.entries())
      distances.push(
        Math.min(
          (above[index] ?? 0) + (letters[row]?.(segment) ?? 0),
          (above[index + 1] ?? 0) + weightOf(text),
          (distances[index] ?? 0) + weightOf(segment),
        ),
      );
    above = distances;
  }
  return above.at(-1) ?? 0;
}

/** Twice its letters and its slash: a whole segment is forgotten more rarely than it is misspelt. */
function weightOf(segment: string): number {
  return 2 * (segment.length + 1);
}
