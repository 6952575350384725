import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { TriggerType } from '../domain/trigger.ts';
import {
  HOOK_TYPE,
  MADE_AT,
  neighbours,
  POLL_TYPE,
  SCHEDULE_TYPE,
  SEEDED,
  VENDOR_TYPE,
} from '../testing/triggers.ts';
import { startTrigger } from './start-trigger.ts';

const start = (type: TriggerType, configuration: JsonObject = {}) =>
  startTrigger(
    neighbours(type),
    testContext(),
    type,
    { id: 'trg_1', configuration: LazyJson.of(configuration), connectionId: 7 },
    MADE_AT,
  );
const after = (seconds: number): Date => new Date(MADE_AT.getTime() + seconds * 1_000);

it('a schedule first fires one period after it was enabled; what others call does not run by itself', async () => {
  expect(await start(SCHEDULE_TYPE, { everySeconds: 60 })).toEqual({
    dueAt: after(60),
    poll: null,
    webhookId: null,
  });
  expect(await start(HOOK_TYPE)).toEqual({ dueAt: null, poll: null, webhookId: null });
});

it('a poll is seeded, and first runs one period later: as configured, or by default', async () => {
  const poll = { cursor: SEEDED, failures: 0 };
  expect(await start(POLL_TYPE, { everySeconds: 10 })).toEqual({ dueAt: after(10), poll, webhookId: null });
  expect(await start(POLL_TYPE)).toEqual({ dueAt: after(60), poll, webhookId: null });
});

it('a seeding that the application refuses is an issue of the connection, with its words', async () => {
  await expect(start(POLL_TYPE, { colour: 'refused' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connectionId', issue: 'Not for you.' }],
  });
});

it('an address is registered at an application that calls', async () => {
  const started = { dueAt: null, poll: null, webhookId: expect.stringMatching(/^whk_/) as string };
  expect(await start(VENDOR_TYPE)).toEqual(started);
  await expect(start(VENDOR_TYPE, { colour: 'refused' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
