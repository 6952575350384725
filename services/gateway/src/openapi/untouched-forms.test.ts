import { expect, test } from 'vitest';
import type { ParameterObject } from '@fairlead/rest-kit/openapi/document';
import { apiDocument } from './api-document.ts';

/** The functions of the API reference library that fill and select the fields of a form. */
interface Forms {
  readonly getExample: (parameter: ParameterObject, exampleName: string | undefined) => unknown;
  readonly isParamDisabled: (parameter: ParameterObject, example: unknown) => boolean;
}

// Declared by hand: the library's own declarations would add a tenth to the compiler's work.
const { getExample, isParamDisabled } = (await import(
  import.meta.resolve('@scalar/workspace-store/request-example')
)) as Forms;

const operations = Object.values(apiDocument('https://api.test.example').paths).flatMap((methods) =>
  Object.values(methods).map((operation) => [operation.operationId, operation] as const),
);

/** Names of the examples that the API reference requests; an operation without one opens with its first example. */
const NAMES = ['default', undefined];

test.each(operations)('the untouched form of %s sends no optional parameter', (_, { parameters = [] }) => {
  for (const name of NAMES) {
    const sent = parameters.filter((parameter) => !isParamDisabled(parameter, getExample(parameter, name)));
    expect(sent.filter(({ required }) => !required).map((parameter) => parameter.name)).toEqual([]);
  }
});
