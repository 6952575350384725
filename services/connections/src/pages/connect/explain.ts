import type { ApiError } from '@fairlead/errors/api-error';
import type { FieldProblem } from './fields.ts';
import type { Messages } from './languages/messages.ts';
import type { PageProblem } from './layout.ts';

const FIELD_PREFIX = 'fields.';

/** The texts above a refused form. */
export interface FormProblems {
  readonly problem: PageProblem;
  readonly fieldProblems: ReadonlyMap<string, FieldProblem>;
}

/** The problem shown when a field is wrong. */
export function wrongFields(
  fieldProblems: ReadonlyMap<string, FieldProblem>,
  messages: Messages,
): FormProblems {
  return { problem: { title: messages.checkTitle, text: messages.checkText }, fieldProblems };
}

/** The problem shown when values were refused, by the vendor or by us; `detail` has the reason. */
export function refused(detail: string, messages: Messages): FormProblems {
  return {
    problem: { title: messages.refusedTitle, text: messages.refusedText, detail },
    fieldProblems: new Map(),
  };
}

/** Explains an error and what the person can do, above the same form; undefined if the form cannot be sent again. */
export function explainAttempt(
  error: ApiError,
  fields: readonly string[],
  messages: Messages,
): FormProblems | undefined {
  switch (error.code) {
    case 'VALIDATION_ERROR':
    case 'INVALID_ENUM_VALUE':
    case 'INVALID_FIELD': {
      const issues = error.details.map(
        ({ field, issue }) => [field.replace(FIELD_PREFIX, ''), issue] as const,
      );
      const known = issues.filter(([field]) => fields.includes(field));
      if (known.length === 0) return refused(error.message, messages);
      return wrongFields(
        new Map(known.map(([field, issue]) => [field, { kind: 'refused', issue }])),
        messages,
      );
    }
    case 'OAUTH_STATE_EXPIRED':
      return { problem: { title: messages.staleTitle, text: messages.staleText }, fieldProblems: new Map() };
    case 'OAUTH_SIGN_IN_FAILED':
    case 'INVALID_AUTH_PROVIDER':
      return refused(error.message, messages);
    case 'UNAVAILABLE':
    case 'TIMEOUT':
    case 'RATE_LIMIT_EXCEEDED':
      return {
        problem: { title: messages.tryAgainTitle, text: messages.awayText },
        fieldProblems: new Map(),
      };
    default:
      return undefined;
  }
}
