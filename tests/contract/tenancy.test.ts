import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, expectList, get, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { bodyWith, nameOf, placesOf, requiredQuery, surroundings } from './support/places.ts';
import type { Place } from './support/places.ts';
import { CATALOGUE, NOT_EXAMINED, RECORDS } from './support/records.ts';
import type { AwaitedKind } from './support/records.ts';
import type { TestRecord, RecordKind } from './support/record-kind.ts';
import { row } from './support/row.ts';
import { differences } from './support/sameness.ts';
import type { RefusalSample } from './support/sameness.ts';

const places = routeTable.flatMap(placesOf);
const existing = new Set(routeTable.map(({ method, path }) => `${method.toUpperCase()} ${path}`));

let own: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  [own, other] = await Promise.all([createAccount({ name: 'Own' }), createAccount({ name: 'Other' })]);
});
afterAll(async () => {
  await removeAccount(own);
  await removeAccount(other);
});

test('the matrix knows every place of the route table that names a record', () => {
  const unknown = places.filter(({ name }) => RECORDS[name] === undefined).map(nameOf);
  expect(
    unknown,
    'these places name records that the matrix cannot create: add their names to RECORDS in ' +
      'tests/contract/support/records.ts, with a way to create one, or say why they name none',
  ).toEqual([]);
  const overdue = Object.entries(RECORDS).filter(([, kind]) => 'awaits' in kind && existing.has(kind.awaits));
  expect(
    overdue.map(([name]) => name),
    'the routes that these names waited for exist: give them a way to create a record in RECORDS',
  ).toEqual([]);
});

/** One record per kind and account; each test checks that a refused call does not change it. */
const made = new Map<string, Promise<TestRecord>>();
function recordOf(account: TestAccount, name: string, operationId?: string): Promise<TestRecord> {
  const kind = kindOf(name);
  if (!('create' in kind)) throw new Error(`${name} cannot be created yet`);
  const special = operationId === undefined ? undefined : kind.own?.[operationId];
  const key = `${account.accountId} ${name} ${special === undefined ? '' : operationId}`;
  const record = made.get(key) ?? (special ?? ((it) => kind.create(it)))(account);
  made.set(key, record);
  return record;
}

function kindOf(name: string): RecordKind | AwaitedKind {
  const kind = RECORDS[name];
  if (kind === undefined || 'notARecord' in kind) throw new Error(`${name} is no record`);
  return kind;
}

/** Sends the smallest request of the place's operation, with `id` at the place and the caller's own ids elsewhere. */
async function ask(place: Place, id: string | number, caller = own): Promise<Answer> {
  const { route } = place;
  const { operationId } = route;
  let path: string = route.path;
  for (const parameter of Object.keys(route.params.shape)) {
    const isHere = place.where === 'path' && place.path === parameter;
    const name =
      placesOf(route).find((it) => it.where === 'path' && it.path === parameter)?.name ?? parameter;
    const value = isHere ? id : (CATALOGUE[name] ?? (await recordOf(caller, name, operationId)).id);
    path = path.replace(`{${parameter}}`, encodeURIComponent(value));
  }
  const query = requiredQuery(route);
  if (place.where === 'query') query[place.path] = id;
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  );
  const smallest = bodyWith(route, place.where === 'body' ? place.path : '', id);
  const body =
    smallest === undefined ? undefined : { ...Object(smallest), ...surroundings(operationId, place.path) };
  if (place.where === 'body' && !place.path.includes('.')) Object.assign(body, { [place.path]: id });
  return call(route.method.toUpperCase(), search.size === 0 ? path : `${path}?${search.toString()}`, {
    apiKey: route.auth === 'operator' ? stack.operatorKey : caller.apiKey,
    ...(body === undefined ? {} : { body }),
  });
}

/** Requests another account's record, and checks that it is unchanged. */
async function askForForeign(place: Place): Promise<RefusalSample> {
  const foreign = await recordOf(other, place.name);
  const before = await foreign.read();
  const answer = await ask(place, foreign.id);
  expect(await foreign.read(), 'a foreign record was changed').toEqual(before);
  return { sort: 'another account’s', id: foreign.id, answer };
}

/** Ids of this kind's records that the run has created in the caller's own account. */
async function ownIdsOf(kind: RecordKind | AwaitedKind): Promise<(string | number)[]> {
  const names = Object.keys(RECORDS).filter((name) => RECORDS[name] === kind);
  const records = [...made].filter(([key]) =>
    names.some((name) => key.startsWith(`${own.accountId} ${name} `)),
  );
  return Promise.all(records.map(async ([, record]) => (await record).id));
}

/** Ids of the caller's own records of all other kinds, and ids without a kind. */
async function wrongIds(place: Place): Promise<(string | number)[]> {
  const kinds = Object.values(RECORDS).filter((kind): kind is RecordKind => 'create' in kind);
  const others = kinds.filter(
    (kind) =>
      kind !== RECORDS[place.name] &&
      kind.isSecret !== true &&
      (kind.isA === undefined || RECORDS[kind.isA] !== RECORDS[place.name]) &&
      typeof kind.unknown === typeof kindOf(place.name).unknown,
  );
  const names = Object.entries(RECORDS).filter(([, kind]) => others.includes(kind as RecordKind));
  const ofOthers = await Promise.all(
    names.map(async ([name]) => CATALOGUE[name] ?? (await recordOf(own, name)).id),
  );
  // Numbers of different kinds may be equal by chance.
  const ofThisKind = await ownIdsOf(kindOf(place.name));
  return [...new Set(ofOthers)].filter((id) => !ofThisKind.includes(id));
}

/** Malformed ids. In a path they are unknown records; elsewhere the request is invalid. */
const FORMLESS = ['abc', '0', '-1', '1.5', '01', '%00', '99999999999999999999', 'x'.repeat(300)];

const examined = places.filter((place) => {
  const kind = RECORDS[place.name];
  return kind !== undefined && !('notARecord' in kind) && NOT_EXAMINED[nameOf(place)] === undefined;
});

describe('a filter that names a foreign or unknown record gives an empty page:', () => {
  test.each(examined.filter(({ isFilter }) => isFilter))(
    '$route.operationId, $where $path',
    async (place) => {
      const kind = kindOf(place.name);
      const unknown = ('unknownIn' in kind && kind.unknownIn?.[place.route.operationId]) || kind.unknown;
      expect(expectList(await ask(place, unknown)).items).toEqual([]);
      expect('create' in kind).toBe(true);
      const { id } = await recordOf(other, place.name, place.route.operationId);
      expect(expectList(await ask(place, id)).items).toEqual([]);
      // The same filter returns something for its own account; otherwise the page above would be empty anyway.
      const isOperators = place.route.auth === 'operator';
      const ownPage = isOperators ? 1 : expectList(await ask(place, id, other)).totalCount;
      expect(ownPage).toBeGreaterThan(0);
    },
  );
});

describe('unknown, foreign and of another kind are the same refusal, and do nothing:', () => {
  test.each(examined.filter(({ isFilter }) => !isFilter))(
    '$route.operationId, $where $path',
    async (place) => {
      const kind = kindOf(place.name);
      const { status, errorCode } = ('refusal' in kind ? kind.refusal : undefined) ?? {
        status: 404,
        errorCode: 'NOT_FOUND',
      };
      const unknown = await ask(place, kind.unknown);
      expectError(unknown, status, errorCode);
      const asked: RefusalSample[] = [{ sort: 'unknown', id: kind.unknown, answer: unknown }];
      // The operator may access every account.
      if ('create' in kind && place.route.auth !== 'operator') asked.push(await askForForeign(place));
      for (const id of await wrongIds(place)) {
        const answer = await ask(place, id);
        // Outside of a path, a malformed id may be refused for its form, equally for every caller.
        if (place.where !== 'path' && answer.status === 400 && status !== 400)
          expectError(answer, 400, 'VALIDATION_ERROR', [place.path.replaceAll('[]', '[0]')]);
        else asked.push({ sort: 'of another kind', id, answer });
      }
      for (const id of place.where === 'path' ? FORMLESS : []) {
        asked.push({ sort: 'of no form', id, answer: await ask(place, id) });
      }
      expect(differences(asked)).toEqual([]);
    },
  );
});

row(['errors.5', 'errors.26'], 'the other account has what this one is refused', async () => {
  const { id } = await recordOf(other, 'connection');
  expect((await get(`/v1/connections/${id}`, other)).status).toBe(200);
  expectError(await get(`/v1/connections/${id}`, own), 404, 'NOT_FOUND');
});
