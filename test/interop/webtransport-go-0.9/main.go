// Opens a session, writes a line on a stream of it and sends a datagram, and prints as JSON what comes back:
// client <url> <line> <datagram in hex>
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/quic-go/webtransport-go"
)

func main() {
	url, line := os.Args[1], os.Args[2]
	datagram, err := hex.DecodeString(os.Args[3])
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	dialer := webtransport.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	response, session, err := dialer.Dial(ctx, url, nil)
	if response != nil && response.StatusCode != 200 {
		answer(map[string]any{"refused": response.StatusCode})
		return
	}
	check(err)
	stream, err := session.OpenStreamSync(ctx)
	check(err)
	_, err = stream.Write([]byte(line + "\n"))
	check(err)
	got, err := bufio.NewReader(stream).ReadString('\n')
	check(err)
	check(session.SendDatagram(datagram))
	back, err := session.ReceiveDatagram(ctx)
	check(err)
	answer(map[string]any{"line": got, "datagram": hex.EncodeToString(back)})
	check(session.CloseWithError(0, ""))
}

func answer(what map[string]any) {
	text, err := json.Marshal(what)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
