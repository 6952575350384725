import { ApiError } from '@fairlead/errors/api-error';
import type { ConnectionChange } from '../domain/connection-change.ts';
import type { ChangePage, ChangeSource } from '../ports/changes.ts';
import { MADE_AT } from './triggers.ts';

/** The deletion of a connection of the account, later than the creation of all test triggers. */
export function connectionChange(members: Partial<ConnectionChange> = {}): ConnectionChange {
  return {
    id: 'chg_1',
    accountId: 'acc_1',
    triggerTypeSlug: 'connection_deleted',
    connectionId: 7,
    applicationSlug: 'sandbox-crm',
    endUserId: null,
    reason: null,
    occurredAt: new Date(MADE_AT.getTime() + 1_000),
    ...members,
  };
}

/** A change log with these pages by cursor; any other cursor is too old. */
export function sourceOf<T>(pages: Readonly<Record<string, ChangePage<T>>>): ChangeSource<T> {
  return {
    name: 'peer',
    read(_ctx, cursor) {
      const page = pages[cursor];
      return page === undefined
        ? Promise.reject(new ApiError('NOT_FOUND', 'too old'))
        : Promise.resolve(page);
    },
  };
}
