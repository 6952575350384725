import type { Connector } from '../model.ts';
import { fieldSourceProblems } from './field-sources.ts';
import { methodProblems } from './methods.ts';
import type { Problem } from './problem.ts';
import { requestProblems } from './requests.ts';
import type { SchemaCheck } from './schemas.ts';
import { templateProblems } from './templates.ts';
import { toolProblems } from './tools.ts';
import { triggerTypeProblems } from './trigger-types.ts';

/** The violated rules of a well-formed connector; without any, it may enter the catalogue. */
export function connectorProblems(connector: Connector, checkSchema: SchemaCheck): readonly Problem[] {
  return [
    ...methodProblems(connector),
    ...fieldSourceProblems(connector),
    ...toolProblems(connector, checkSchema),
    ...triggerTypeProblems(connector, checkSchema),
    ...templateProblems(connector),
    ...requestProblems(connector),
  ];
}
