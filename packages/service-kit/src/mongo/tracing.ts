import type { CommandStartedEvent, MongoClient } from 'mongodb';
import { currentSpan, isTracing, startSpan } from '../telemetry/tracing.ts';
import type { Span } from '../telemetry/tracing.ts';

/** Client options that let `traceMongo` observe commands; by default, the driver does not report them. */
export function mongoTracingOptions(): { readonly monitorCommands?: true } {
  return isTracing() ? { monitorCommands: true } : {};
}

/**
 * Records a span for each command of a traced request: the command's name, the collection and the database. Filters
 * and documents are not recorded, because they contain ids and sealed secrets.
 */
export function traceMongo(client: MongoClient): void {
  if (!isTracing()) return;
  const underWay = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    // Outside of a span, the command is a probe of the driver or the work of a timer.
    const span = currentSpan() === undefined ? undefined : startCommand(event);
    if (span !== undefined) underWay.set(event.requestId, span);
  });
  const settle = (requestId: number, failure?: string): void => {
    underWay.get(requestId)?.end(failure);
    underWay.delete(requestId);
  };
  client.on('commandSucceeded', ({ requestId }) => settle(requestId));
  client.on('commandFailed', ({ requestId, failure }) => settle(requestId, failure.name));
}

function startCommand(event: CommandStartedEvent): Span | undefined {
  const { commandName, databaseName } = event;
  const collection = collectionOf(event);
  return startSpan({
    name: collection === undefined ? commandName : `${commandName} ${collection}`,
    kind: 'client',
    attributes: {
      'db.system.name': 'mongodb',
      'db.operation.name': commandName,
      'db.namespace': databaseName,
      ...(collection !== undefined && { 'db.collection.name': collection }),
    },
  });
}

/** The collection is in the member with the command's name; for getMore, in `collection`. */
function collectionOf({ command, commandName }: CommandStartedEvent): string | undefined {
  const name: unknown = commandName === 'getMore' ? command['collection'] : command[commandName];
  return typeof name === 'string' ? name : undefined;
}
