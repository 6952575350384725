import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { FROM_REST } from '../domain/call-origin.ts';
import type { Execution, ExecutionRecord } from '../domain/execution.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');

/** The record of a successful call, unless overridden. */
export function executionRecord(o: Partial<ExecutionRecord> = {}): ExecutionRecord {
  return {
    fields: { name: 'Ada' },
    outcome: { isSuccess: true, output: { id: 1 } },
    info: {
      startedAt: NOON,
      durationMs: 12,
      connectionId: 7,
      connectionResolution: 'default',
      applicationSlug: 'crm',
      toolSlug: 'crm-list-contacts',
      toolVersion: '1.2.0',
      attempts: 1,
      userId: 'usr_1',
      ...FROM_REST,
    },
    outputMismatch: [],
    ...o,
  };
}

/** A history row of a successful call, unless overridden. */
export function execution(o: Partial<Execution> = {}): Execution {
  const { fields, info } = executionRecord();
  return {
    historyId: 1,
    fields: LazyJson.of(fields),
    outcome: { isSuccess: true, output: LazyJson.of({ id: 1 }) },
    info,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}
