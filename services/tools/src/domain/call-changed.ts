import { ApiError } from '@fairlead/errors/api-error';

/** The toolset or the connection is no longer the one that a call was checked with. Nothing was executed. */
export class CallChanged extends ApiError {
  constructor() {
    super(
      'UNAVAILABLE',
      'The toolset or the connection of the call was changed at the same time. Nothing was executed; try again.',
    );
  }
}
