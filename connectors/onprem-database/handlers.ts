import { InputError } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { handlers as postgresqlHandlers } from '../postgresql/handlers.ts';
import { mysqlHandlers } from './mysql/handlers.ts';
import { mysqlRowsCreated, postgresqlRowsCreated } from './rows-created.ts';

/** Handlers by profile type. */
const POSTGRESQL = { ...postgresqlHandlers, rowsCreated: postgresqlRowsCreated };
const MYSQL = { ...mysqlHandlers, rowsCreated: mysqlRowsCreated };

/** The handler for the call's profile type. */
function byProfile(name: keyof typeof MYSQL): Handler {
  return (call) => {
    switch (call.credential.fields['type']) {
      case 'postgresql':
        return POSTGRESQL[name](call);
      case 'mysql':
        return MYSQL[name](call);
      default:
        throw new InputError([
          { field: 'fields.profile', issue: 'must name a profile of the type postgresql or mysql' },
        ]);
    }
  };
}

/** The handlers of the connector `onprem-database`, run by on-prem agents. */
export const handlers: Readonly<Record<string, Handler>> = {
  listTables: byProfile('listTables'),
  describeTable: byProfile('describeTable'),
  runQuery: byProfile('runQuery'),
  executeStatement: byProfile('executeStatement'),
  rowsCreated: byProfile('rowsCreated'),
};
