// Package callout asks webhooks: a document goes out over HTTPS and one comes back, as the API
// asks those of admission and of conversion.
//
// A [Target] is where a webhook is. [Clients] keeps the connections and shares them among all who
// call the same server. No redirect is followed, no more of an answer is read than the caller
// wants, and failures are worded as the API's own client words them.
package callout
