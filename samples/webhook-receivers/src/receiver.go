// Receives the events of a destination: set WEBHOOK_SECRET to its signing secret. README.md says how to run it.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxBodyBytes = 1 << 20
	tolerance    = 300 * time.Second
)

// Event is the body of a delivery. Payload stays as it was sent: decode it by your trigger's type.
type Event struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// verify returns the event of a delivery, or an error unless whoever holds the secret signed exactly this body, at most
// `tolerance` before or after now. The header is `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`.
func verify(body []byte, header, secret string, now time.Time) (Event, error) {
	var event Event
	var seconds string
	var signatures [][]byte
	for _, member := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(member, "=")
		switch name {
		case "t":
			seconds = value
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, signature)
			}
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	matches := false
	for _, signature := range signatures {
		matches = matches || hmac.Equal(signature, expected)
	}
	if !matches {
		return event, errors.New("the signature does not match")
	}
	sentAt, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(sentAt, 0)).Abs() > tolerance {
		return event, errors.New("the signature is too old")
	}
	return event, json.Unmarshal(body, &event)
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	// An event may arrive more than once, always with the same id. Use a unique index of your database instead.
	var handled sync.Map

	receive := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		event, err := verify(body, request.Header.Get("fairlead-signature"), secret, time.Now())
		if err != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if _, isKnown := handled.LoadOrStore(event.ID, true); !isKnown {
			fmt.Println(event.ID, event.Type)
		}
		// Any 2xx acknowledges the event.
		response.WriteHeader(http.StatusNoContent)
	}

	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
