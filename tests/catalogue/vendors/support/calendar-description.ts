import type { JsonObject } from '@fairlead/connector-model/json';

const text = { type: 'string' };
const inPath = { location: 'path', required: true, type: 'string' };
const inQuery = { location: 'query', type: 'string' };
const scopes = ['https://www.googleapis.com/auth/calendar'];
const calendarId = inPath;

/** The needed parts of Google's description of its calendar API, in the same format, so that the walk works offline. */
export const calendarDescription: JsonObject = {
  rootUrl: 'https://www.googleapis.com/',
  servicePath: 'calendar/v3/',
  parameters: { fields: inQuery },
  schemas: {
    Calendar: {
      id: 'Calendar',
      type: 'object',
      properties: { id: text, summary: text, description: text, location: text, timeZone: text },
    },
    Event: {
      id: 'Event',
      type: 'object',
      properties: {
        id: text,
        status: text,
        summary: text,
        description: text,
        location: text,
        start: { $ref: 'EventDateTime' },
        end: { $ref: 'EventDateTime' },
        htmlLink: text,
        hangoutLink: text,
        organizer: { type: 'object', properties: { email: text, displayName: text } },
        attendees: { type: 'array', items: { $ref: 'EventAttendee' } },
        recurrence: { type: 'array', items: text },
        recurringEventId: text,
        eventType: { ...text, default: 'default' },
        visibility: { ...text, default: 'default' },
        created: { ...text, format: 'date-time' },
        updated: { ...text, format: 'date-time' },
      },
    },
    EventAttendee: {
      id: 'EventAttendee',
      type: 'object',
      properties: { email: text, displayName: text, responseStatus: text, optional: { type: 'boolean' } },
    },
    EventDateTime: {
      id: 'EventDateTime',
      type: 'object',
      properties: { date: { ...text, format: 'date' }, dateTime: text, timeZone: text },
    },
    Events: {
      id: 'Events',
      type: 'object',
      properties: {
        items: { type: 'array', items: { $ref: 'Event' } },
        nextPageToken: text,
        nextSyncToken: text,
      },
    },
  },
  resources: {
    calendarList: {
      methods: {
        delete: {
          id: 'calendar.calendarList.delete',
          httpMethod: 'DELETE',
          path: 'users/me/calendarList/{calendarId}',
          parameters: { calendarId },
          scopes,
        },
      },
    },
    calendars: {
      methods: {
        get: {
          id: 'calendar.calendars.get',
          httpMethod: 'GET',
          path: 'calendars/{calendarId}',
          parameters: { calendarId },
          response: { $ref: 'Calendar' },
          scopes,
        },
        delete: {
          id: 'calendar.calendars.delete',
          httpMethod: 'DELETE',
          path: 'calendars/{calendarId}',
          parameters: { calendarId },
          scopes,
        },
      },
    },
    events: {
      methods: {
        delete: {
          id: 'calendar.events.delete',
          httpMethod: 'DELETE',
          path: 'calendars/{calendarId}/events/{eventId}',
          parameters: {
            calendarId,
            eventId: inPath,
            sendUpdates: { ...inQuery, enum: ['all', 'externalOnly', 'none'] },
          },
          scopes,
        },
        list: {
          id: 'calendar.events.list',
          httpMethod: 'GET',
          path: 'calendars/{calendarId}/events',
          parameters: {
            calendarId,
            eventTypes: { ...inQuery, repeated: true, enum: ['birthday', 'default', 'focusTime'] },
            maxResults: { location: 'query', type: 'integer', format: 'int32', default: '250', minimum: '1' },
            orderBy: { ...inQuery, enum: ['startTime', 'updated'] },
            pageToken: inQuery,
            q: inQuery,
            singleEvents: { location: 'query', type: 'boolean' },
            timeMax: { ...inQuery, format: 'date-time' },
            timeMin: { ...inQuery, format: 'date-time' },
            timeZone: inQuery,
            updatedMin: { ...inQuery, format: 'date-time' },
          },
          response: { $ref: 'Events' },
          scopes,
        },
      },
    },
  },
};
