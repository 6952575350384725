import { ApiError } from '@fairlead/errors/api-error';

const REFUSALS = {
  invalidCredential: ['UNAUTHORIZED', 'The credential of the call is no longer valid.'],
  inactiveUser: ['ACCOUNT_USER_INACTIVE', 'The user of the call is no longer active in the account.'],
  missingPermission: ['FORBIDDEN', 'The user of the call may no longer execute tools.'],
} as const;

/** The caller was authenticated, but may no longer act. No further vendor is called for it. */
export class CallerRefusedError extends ApiError {
  constructor(reason: keyof typeof REFUSALS) {
    const [code, message] = REFUSALS[reason];
    super(code, message);
  }
}
