import { expect, it } from 'vitest';
import { SERVICE_NAMES, addressVariable, forEachService } from './services.ts';

it('a service’s addresses are in a variable that bears its name', () => {
  expect(addressVariable('connections')).toBe('CONNECTIONS_URL');
});

it('a record for the services has one entry for each, in the order of the list', () => {
  expect(Object.entries(forEachService((name) => name.length))).toEqual(
    SERVICE_NAMES.map((name) => [name, name.length]),
  );
});
