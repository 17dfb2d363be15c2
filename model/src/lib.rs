//! What a service is: operations, resources, effects, events.
