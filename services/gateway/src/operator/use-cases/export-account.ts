import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountDomain, ExportedRecords } from '../ports/account-domain.ts';
import type { OperatedIdentity } from '../ports/operated-identity.ts';

export interface ExportAccountDeps {
  readonly identity: Pick<OperatedIdentity, 'getAccount' | 'data'>;
  /** All domains that store data of accounts, except identity. */
  readonly domains: readonly AccountDomain[];
  readonly clock: Clock;
}

/**
 * One JSON object, in pieces, with all data about an account except secrets: `exportedAt`, `account`, and an array for each kind of record.
 * Only one page of records is in memory at a time. Concurrent changes may or may not be included. Throws NOT_FOUND before the first piece
 * for an unknown account.
 */
export async function* exportAccount(
  deps: ExportAccountDeps,
  ctx: RequestContext,
  accountId: string,
): AsyncGenerator<string> {
  const account = await deps.identity.getAccount(ctx, accountId);
  const exportedAt = deps.clock.now();
  // Without the closing brace: the collections follow.
  yield JSON.stringify({ exportedAt, account }).slice(0, -1);
  for (const domain of [deps.identity.data, ...deps.domains]) yield* collections(domain.read(ctx, accountId));
  yield '}';
}

/** Writes consecutive pages of one kind as one member of the object. */
async function* collections(pages: AsyncIterable<ExportedRecords>): AsyncGenerator<string> {
  let open: string | undefined;
  let isFirst = true;
  for await (const { collection, records } of pages) {
    if (collection !== open) {
      if (open !== undefined) yield ']';
      yield `,${JSON.stringify(collection)}:[`;
      open = collection;
      isFirst = true;
    }
    if (records.length === 0) continue;
    yield `${isFirst ? '' : ','}${records.join(',')}`;
    isFirst = false;
  }
  if (open !== undefined) yield ']';
}
