import { ApiError } from '@fairlead/errors/api-error';

/** Thrown if the toolset or the connection changed after the call was checked. Nothing was executed. */
export class CallChanged extends ApiError {
  constructor() {
    super(
      'UNAVAILABLE',
      'The toolset or the connection of the call was changed at the same time. Nothing was executed; try again.',
    );
  }
}
