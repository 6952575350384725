import type { Handler } from '@fairlead/connector-runtime/handler';
import { describeType, listTypes } from './describe-schema.ts';
import { runMutation, runQuery, testConnection } from './run-operation.ts';

/** The handlers that the manifest of `graphql` names. */
export const handlers: Readonly<Record<string, Handler>> = {
  runQuery,
  runMutation,
  listTypes,
  describeType,
  testConnection,
};
