import { inputRequired } from '@modelcontextprotocol/server';
import type { InputRequest } from '@modelcontextprotocol/server';

/** The schema of an elicitation's form. */
type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

/** Requests a form with these members from a person. */
export function ask(message: string, properties: object, required: readonly string[]): InputRequest {
  // The suite also sends forms of former revisions, for which the SDK has no types.
  const requestedSchema = { type: 'object', properties, required } as Form;
  return inputRequired.elicit({ message, requestedSchema });
}

/** Requests one text from a person. */
export const askText = (message: string, name: string): InputRequest =>
  ask(message, { [name]: { type: 'string' } }, [name]);

/** Requests a confirmation from a person. */
export const askToConfirm = (name = 'ok'): InputRequest =>
  ask('Please confirm', { [name]: { type: 'boolean' } }, [name]);

/** Requests a message from the client's model. */
export const askModel = (prompt: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });

/** Requests the client's roots. */
export const askRoots = (): InputRequest => inputRequired.listRoots();

/** One default per simple type. */
export const DEFAULTS = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: {
    type: 'string',
    description: 'User status',
    enum: ['active', 'inactive', 'pending'],
    default: 'active',
  },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

/** Choices in the notation of every revision. */
export const CHOICES = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: {
    type: 'array',
    minItems: 1,
    maxItems: 3,
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
};
