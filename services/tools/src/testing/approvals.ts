import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Approval } from '../domain/approval.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

/** A pending approval of a call to `crm`, unless overridden. */
export function approval(o: Partial<Approval> = {}): Approval {
  return {
    approvalId: '5a7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
    status: 'pending',
    toolsetId: '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
    applicationSlug: 'crm',
    toolSlug: 'send',
    connectionId: 7,
    endUserId: null,
    fields: LazyJson.of({}),
    query: LazyJson.of({}),
    files: [],
    requestedBy: 'caller',
    decidedBy: null,
    requiresOther: false,
    fingerprint: 'equal',
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}
