import { Secret } from '@fairlead/service-kit/secret';
import type { Destination } from '../domain/destination.ts';
import { DEFAULT_MAX_FAILURES } from '../domain/destination.ts';
import type { NewDestination } from '../ports/destination-store.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

/** An enabled destination, unless overridden. */
export function destination(o: Partial<Destination> = {}): Destination {
  return {
    id: 'dst_1',
    name: 'Ours',
    url: 'https://receiver.example/in',
    headerNames: ['x-team'],
    disabledReason: null,
    consecutiveFailures: 0,
    maxConsecutiveFailures: DEFAULT_MAX_FAILURES,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}

/** The same destination in the form of a document. */
export function newDestination(o: Partial<NewDestination> = {}): NewDestination {
  return {
    ...destination(o),
    secret: new Secret('whsec_c2VjcmV0LW9mLXRoZS1kZXN0aW5hdGlvbi0wMTIzNDU='),
    headers: new Secret({ 'x-team': 'header-value-of-the-team' }),
    ...o,
  };
}
