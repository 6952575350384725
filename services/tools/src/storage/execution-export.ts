import type { RequestContext } from '@fairlead/service-kit/context/context';
import { readPosition } from '@fairlead/service-kit/cursor';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { z } from 'zod';
import type { ExecutionIntents } from './execution-intents.ts';
import { selectRows } from './execution-selection.ts';
import { executionCollection } from './execution.collection.ts';
import { executionOf } from './execution.repository.ts';

const historyIdForm = z.int();
const READ_AT_ONCE = 1_000;

/** Reads an account's rows for its export, newest first, from after position `after`. Rows written meanwhile are newer and not returned. */
export async function* exportExecutions(
  {
    store,
    intents,
  }: {
    readonly store: Pick<MongoStore, 'collection'>;
    readonly intents: Pick<ExecutionIntents, 'show'>;
  },
  ctx: RequestContext,
  accountId: string,
  after: string | undefined,
): AsyncGenerator<{ readonly position: string; readonly record: object }> {
  if (after === undefined) await intents.show(operationOptions(ctx), accountId);
  const to = after === undefined ? Number.MAX_SAFE_INTEGER : readPosition(historyIdForm, after);
  const { query, hint } = selectRows(accountId, {}, { from: 0, to });
  const documents = store
    .collection(executionCollection)
    .find(query, { ...operationOptions(ctx), hint })
    .sort({ _id: -1 })
    .batchSize(READ_AT_ONCE);
  for await (const document of documents) {
    const { outcome, ...execution } = executionOf(document);
    yield { position: JSON.stringify(execution.historyId), record: { ...execution, ...outcome } };
  }
}
