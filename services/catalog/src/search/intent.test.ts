import { describe, expect, it } from 'vitest';
import { intentOfName, intentOfQuery } from './intent.ts';

describe('the intent of a query', () => {
  it.each([
    ['who can see this', 'read'],
    ['list invoices', 'read'],
    ['orders of today', 'read'],
    ['bill a customer', 'write'],
    ['please create an invoice', 'write'],
    ['get a letter signed', 'write'],
    ['close the ticket', 'write'],
    ['throw it away', 'remove'],
    ['overdue invoice', undefined],
    ['contact report', undefined],
    ['', undefined],
  ])('of %j is %s', (query, intent) => {
    expect(intentOfQuery(query.split(' '))).toBe(intent);
  });
});

describe('the intent of a tool', () => {
  it.each([
    ['List contacts', 'read'],
    ['Create contact', 'write'],
    ['Delete contact', 'remove'],
    ['GitHub', undefined],
    ['', undefined],
  ])('named %j is %s', (name, intent) => {
    expect(intentOfName(name)).toBe(intent);
  });
});
