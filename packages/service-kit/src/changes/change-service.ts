import type { ServiceImpl } from '@connectrpc/connect';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { requirePlatform } from '../context/context.ts';
import { requestContext } from '../rpc/request.ts';
import type { ChangeLog } from './change-log.ts';
import { MAX_PAGE } from './change-log.ts';

/**
 * Serves ChangeService (proto/fairlead/common/v1) for a service's log. Only the platform itself may call it; others
 * get FORBIDDEN.
 */
export function createChangeService(log: Pick<ChangeLog, 'read'>): ServiceImpl<typeof ChangeService> {
  return {
    async listChanges({ cursor, limit }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      if (limit < 1 || limit > MAX_PAGE) {
        throw validationError({ field: 'limit', issue: `must be from 1 to ${MAX_PAGE}` });
      }
      const { changes, nextCursor, hasMore } = await log.read(ctx, cursor, limit);
      return {
        changes: changes.map(({ number, occurredAt, ...change }) => ({
          ...change,
          number: BigInt(number),
          occurredAt: timestampFromDate(occurredAt),
        })),
        nextCursor,
        hasMore,
      };
    },
  };
}
