package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// maxAnswer is how many bytes a webhook may answer with.
const maxAnswer = 3 << 20

var errNoClients = fmt.Errorf("%w: there are no clients", callout.ErrNoClient)

// askRemote asks over HTTPS.
func (h *hook) askRemote(ctx context.Context, clients *callout.Clients, q *question, mutates bool) (Answer, error) {
	if clients == nil {
		return Answer{}, errNoClients
	}
	uid := newUID()
	review, err := clients.Post(ctx, &h.target, q.json(h.version, uid), maxAnswer)
	if err == nil {
		err = checkKind(review, h.version)
	}
	if errors.Is(err, callout.ErrNoClient) {
		return Answer{}, err
	}
	if err != nil {
		return Answer{}, fmt.Errorf("failed to call webhook: %w", err)
	}
	answer, err := readAnswer(review, h.version, uid, mutates)
	if err != nil {
		return Answer{}, fmt.Errorf("received invalid webhook response: %w", err)
	}
	return answer, nil
}
