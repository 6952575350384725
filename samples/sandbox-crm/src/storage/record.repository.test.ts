import { beforeEach, describe, expect, test } from 'vitest';
import type { Filter, Sort } from '../domain/list-query.ts';
import { contactType, dealType } from '../domain/record-types.ts';
import { openDatabase } from './database.ts';
import { RecordRepository } from './record.repository.ts';

const WORKSPACE = 'ws_test';
const time = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();

let records: RecordRepository;

beforeEach(() => {
  records = new RecordRepository(openDatabase(undefined));
});

function addContact(name: string, more: { company?: string; day?: number } = {}): string {
  const { company = null, day = 1 } = more;
  const values = { name, email: null, company, phone: null, createdAt: time(day) };
  return String(records.insert(contactType, WORKSPACE, values)['id']);
}

function namesOf(
  filters: readonly Filter[],
  sorts: readonly Sort[] = [{ field: 'id', direction: 'asc' }],
): readonly unknown[] {
  return records
    .list(contactType, WORKSPACE, { top: 100, offset: 0, filters, sorts })
    .items.map((item) => item['name']);
}

describe('filters', () => {
  beforeEach(() => {
    addContact('Ada', { company: 'Acme_1', day: 1 });
    addContact('ada', { company: '50% Acme', day: 2 });
    addContact('Bo', { day: 3 });
  });

  test('eq is case-sensitive', () => {
    expect(namesOf([{ field: 'name', operator: 'eq', value: 'Ada' }])).toEqual(['Ada']);
  });

  test('ne holds for a missing value', () => {
    expect(namesOf([{ field: 'company', operator: 'ne', value: 'Acme_1' }])).toEqual(['ada', 'Bo']);
  });

  test('contains and startsWith take % and _ literally and heed case', () => {
    expect(namesOf([{ field: 'company', operator: 'contains', value: 'cme_' }])).toEqual(['Ada']);
    expect(namesOf([{ field: 'company', operator: 'contains', value: '%' }])).toEqual(['ada']);
    expect(namesOf([{ field: 'company', operator: 'contains', value: 'ACME' }])).toEqual([]);
    expect(namesOf([{ field: 'name', operator: 'startsWith', value: 'a' }])).toEqual(['ada']);
    expect(namesOf([{ field: 'company', operator: 'startsWith', value: '50%' }])).toEqual(['ada']);
  });

  test('isNull distinguishes missing values from present ones', () => {
    expect(namesOf([{ field: 'company', operator: 'isNull', value: true }])).toEqual(['Bo']);
    expect(namesOf([{ field: 'company', operator: 'isNull', value: false }])).toEqual(['Ada', 'ada']);
  });

  test('in takes any of its values', () => {
    expect(namesOf([{ field: 'name', operator: 'in', value: ['Bo', 'Ada', 'Cy'] }])).toEqual(['Ada', 'Bo']);
  });

  test('gt, gte, lt and lte bound a range', () => {
    expect(namesOf([{ field: 'createdAt', operator: 'gt', value: time(1) }])).toEqual(['ada', 'Bo']);
    expect(namesOf([{ field: 'createdAt', operator: 'gte', value: time(3) }])).toEqual(['Bo']);
    expect(namesOf([{ field: 'createdAt', operator: 'lt', value: time(2) }])).toEqual(['Ada']);
    expect(namesOf([{ field: 'createdAt', operator: 'lte', value: time(2) }])).toEqual(['Ada', 'ada']);
  });

  test('all filters must hold', () => {
    const isAcme: Filter = { field: 'company', operator: 'contains', value: 'Acme' };
    expect(namesOf([isAcme, { field: 'name', operator: 'eq', value: 'ada' }])).toEqual(['ada']);
  });
});

test('numbers compare by value', () => {
  for (const amount of [9, 10, 100.5]) {
    const deal = { title: `d${amount}`, amount, currency: 'USD', stage: 'lead', contactId: null };
    records.insert(dealType, WORKSPACE, { ...deal, createdAt: time(1), updatedAt: time(1) });
  }
  const query = { top: 100, offset: 0, sorts: [{ field: 'amount', direction: 'asc' }] as const };
  const filters: Filter[] = [{ field: 'amount', operator: 'gt', value: 9.5 }];
  expect(
    records.list(dealType, WORKSPACE, { ...query, filters }).items.map((deal) => deal['amount']),
  ).toEqual([10, 100.5]);
});

test('a page is newest first, cut by top and offset, and knows the total', () => {
  for (const name of ['a', 'b', 'c', 'd']) addContact(name);
  const page = records.list(contactType, WORKSPACE, { top: 2, offset: 1, filters: [], sorts: [] });
  expect(page.items.map((item) => item['name'])).toEqual(['c', 'b']);
  expect(page.totalCount).toBe(4);
});

test('the second sort orders what the first leaves equal', () => {
  addContact('b', { company: 'x' });
  addContact('a', { company: 'x' });
  addContact('c', { company: 'y' });
  const sorts: Sort[] = [
    { field: 'company', direction: 'desc' },
    { field: 'name', direction: 'asc' },
  ];
  expect(namesOf([], sorts)).toEqual(['c', 'a', 'b']);
});

test('the id of a deleted record is not reused', () => {
  addContact('a');
  const last = addContact('b');
  expect(records.delete(contactType, WORKSPACE, last)).toBe(true);
  expect(addContact('c')).not.toBe(last);
});

test("another workspace's record cannot be read, changed or deleted", () => {
  const id = addContact('a');
  expect(records.find(contactType, 'ws_other', id)).toBeUndefined();
  expect(records.update(contactType, 'ws_other', id, { name: 'z' })).toBeUndefined();
  expect(records.delete(contactType, 'ws_other', id)).toBe(false);
  expect(records.find(contactType, WORKSPACE, id)).toMatchObject({ name: 'a' });
});
